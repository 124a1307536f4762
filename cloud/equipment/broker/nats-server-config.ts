/** The configuration of the servers of a NATS cluster. It holds public keys and signed tokens; its one secret lets servers into the cluster. */
import type { NatsKeys } from './nats-keys.js';
import { accountToken, operatorToken, systemAccountToken } from './nats-tokens.js';

export interface NatsNode {
  /** No two servers have the same. */
  name: string;
  /** The host at which the other servers reach it. */
  host: string;
  /** Where it listens. */
  ports: { client: number; mqtt: number; route: number };
  /** For its streams and its list of void tokens: must outlive the server. */
  storeDirectory: string;
}

/** With TLS, and without it. */
const MQTT_PORTS = { tls: 8883, plain: 1883 } as const;
const PORTS = { client: 4222, route: 6222 } as const;

/** The largest message of a gateway, with room for what MQTT and NATS add to it. */
const PAYLOAD_MAX = '12MB';

/**
 * Returns a function that writes the configuration file of one of these servers.
 * @param options.tls directory of `server.pem`, `server.key` and `ca.pem` on each server; false: without TLS
 */
export function natsConfigs(
  keys: NatsKeys,
  options: { hosts: readonly string[]; tls: string | false; store: string },
): (host: string) => string {
  const { hosts, tls, store } = options;
  const ports = { ...PORTS, mqtt: tls === false ? MQTT_PORTS.plain : MQTT_PORTS.tls };
  const nodes = hosts.map((host): NatsNode => ({ name: host, host, ports, storeDirectory: store }));
  const files = tls === false ? null : { cert: `${tls}/server.pem`, key: `${tls}/server.key`, ca: `${tls}/ca.pem` };
  return (host) => {
    const node = nodes.find(({ name }) => name === host);
    if (node === undefined) throw new Error(`${host} is none of the servers`);
    return natsServerConfig(keys, node, { nodes, tls: files });
  };
}

/**
 * Writes one server's configuration file.
 * @param options.tls PEM files on the server: the certificate with its authority behind it, its key, and the authority; null: it speaks
 * without TLS
 */
export function natsServerConfig(
  keys: NatsKeys,
  node: NatsNode,
  options: { nodes: readonly NatsNode[]; tls: { cert: string; key: string; ca: string } | null },
): string {
  const { nodes, tls } = options;
  const { client, mqtt, route } = node.ports;
  const tlsBlock = (indent: string, further = '') =>
    tls === null
      ? ''
      : `\n${indent}tls { cert_file: ${text(tls.cert)}, key_file: ${text(tls.key)}, ca_file: ${text(tls.ca)}${further} }`;
  const login = `parking:${keys.routePassword}`;
  const routes = nodes
    .filter((other) => other !== node)
    .map((other) => `\n    ${text(`nats-route://${login}@${authority(other.host)}:${other.ports.route}`)}`);
  const cluster = `
# The servers of the cluster. Nobody else should reach this port.
cluster {
  name: parking
  listen: "0.0.0.0:${route}"
  authorization { user: parking, password: ${text(keys.routePassword)}, timeout: 5 }${tlsBlock('  ', ', verify: true, timeout: 5')}
  routes: [${routes.join('')}
  ]
}
`;
  return `# Written by parking-cloud broker-config nats.
server_name: ${text(node.name)}

# The cloud gives its orders here. Gateways need not reach this port.
listen: "0.0.0.0:${client}"${tlsBlock('')}

# One message may hold pictures.
max_payload: ${PAYLOAD_MAX}
max_pending: 64MB

# Whom the server trusts. Accounts and users are tokens that the cloud signs; void ones are kept in the directory.
operator: ${operatorToken(keys)}
system_account: ${keys.systemAccount.id}
resolver {
  type: full
  dir: ${text(`${node.storeDirectory}/accounts`)}
  allow_delete: false
  interval: "10s"
}
resolver_preload {
  ${keys.systemAccount.id}: ${systemAccountToken(keys)}
  ${keys.account.id}: ${accountToken(keys)}
}

jetstream { store_dir: ${text(`${node.storeDirectory}/streams`)} }

mqtt {
  listen: "0.0.0.0:${mqtt}"
  # Left out, it would follow from how many servers were known at the first connection: one that dies could then stop all.
  stream_replicas: ${Math.min(nodes.length, 3)}${tlsBlock('  ')}
}
${nodes.length > 1 ? cluster : ''}`;
}

const text = (value: string): string => JSON.stringify(value);

/** An address of IPv6 stands in brackets where a port follows. */
const authority = (host: string): string => (host.includes(':') ? `[${host}]` : host);
