/** What the broker port is tested with: a broker of one kind, the gateways it lets in, and what it delivers. */
import { randomBytes } from 'node:crypto';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { createAedesBroker } from '../../cloud/equipment/broker/aedes-broker.js';
import type {
  BrokerAccounts,
  GatewayCredential,
  GatewayCredentials,
} from '../../cloud/equipment/broker/broker-accounts.js';
import { type BrokerAddress, brokerAddress } from '../../cloud/equipment/broker/broker-address.js';
import type { Broker, UpMessage } from '../../cloud/equipment/broker/broker.js';
import type { InboxLimits } from '../../cloud/equipment/broker/gateway-inbox.js';
import { createMosquittoAccounts } from '../../cloud/equipment/broker/mosquitto-accounts.js';
import { createMqttBroker } from '../../cloud/equipment/broker/mqtt-broker.js';
import { createNatsBrokerAccounts } from '../../cloud/equipment/broker/nats-broker-accounts.js';
import { createNatsKeys } from '../../cloud/equipment/broker/nats-keys.js';
import { cloudToken } from '../../cloud/equipment/broker/nats-tokens.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import type { Clock } from '../../shared/clock.js';
import type { GatewayUuid } from '../../shared/ids.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { startMosquitto } from '../world/mosquitto-server.js';
import { startNatsCluster } from '../world/nats-cluster.js';
import { freePorts } from '../world/free-ports.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

/** Small, so that a flood is over soon. */
export const BENCH_LIMITS: InboxLimits = { gatewayBytesMax: 1024 * 1024, totalBytesMax: 16 * 1024 * 1024 };

export interface BrokerBench {
  /** The port as the cloud has it. After a restart of an embedded broker it is another one. */
  readonly broker: Broker;
  /** The broker lives in the cloud's process, and ends with it. */
  readonly isEmbedded: boolean;
  readonly isNameBound: boolean;
  /** Handles what the broker delivers; each test sets its own. */
  handle: (message: UpMessage) => Promise<void>;
  /** Called with gateways that are heard from now on, or again. */
  onHearing: (uuids: readonly GatewayUuid[]) => void;
  /** Lets a gateway in under a new password, as its claim does, and hears it. @returns what it is told */
  admit(uuid: GatewayUuid): Promise<string>;
  /** Deletes a gateway. */
  dismiss(uuid: GatewayUuid): Promise<void>;
  /** Connects as a client of any name. Rejects when the broker refuses it. */
  connect(options: IClientOptions): Promise<MqttClient>;
  /** Ends the broker at once, as a fault does; `start` brings it back. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The maker of a broker of one kind. */
export interface BrokerKindBench {
  /** Where clients connect. */
  url: string;
  open(deps: { credentials: GatewayCredentials; clock: Clock; logger: Logger }): Promise<Broker>;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
  isEmbedded: boolean;
  /** Whether a password lets nobody in under another client id or user name: topics are kept apart in any case. */
  isNameBound: boolean;
}

export async function createBrokerBench(kind: BrokerKindBench): Promise<BrokerBench> {
  const known = new Map<GatewayUuid, GatewayCredential>();
  const clients: MqttClient[] = [];
  const credentials: GatewayCredentials = {
    find: async (uuid) => known.get(uuid) ?? null,
    list: async () => [...known.values()],
  };
  let broker: Broker;
  async function open(): Promise<void> {
    broker = await kind.open({ credentials, clock: systemClock, logger: silentLogger });
    broker.onMessage((message) => bench.handle(message));
    broker.onHearing((uuids) => bench.onHearing(uuids));
  }
  /** The broker's orders go over a connection of their own, which is back later than the one of `ready` after a restart. */
  const settled = (uuid: GatewayUuid) =>
    waitUntil('the account to be settled', () => broker.disconnect(uuid).then(() => true));
  const bench: BrokerBench = {
    get broker() {
      return broker;
    },
    isEmbedded: kind.isEmbedded,
    isNameBound: kind.isNameBound,
    handle: async () => {},
    onHearing: () => {},
    async admit(uuid) {
      const credential = { uuid, password: randomBytes(32).toString('base64url') };
      known.set(uuid, credential);
      broker.hear([uuid]);
      await settled(uuid);
      return broker.passwordFor(credential);
    },
    async dismiss(uuid) {
      known.delete(uuid);
      broker.leave([uuid]);
      await settled(uuid);
    },
    async connect(options) {
      const client = mqtt.connect(kind.url, { protocolVersion: 4, reconnectPeriod: 0, keepalive: 30, ...options });
      clients.push(client);
      await new Promise<void>((resolve, reject) => {
        client.once('connect', () => resolve());
        client.once('error', reject);
        client.once('close', () => reject(new Error('the broker closed the connection')));
      });
      client.on('error', () => {});
      return client;
    },
    async kill() {
      if (kind.isEmbedded) await broker.close();
      await kind.kill();
    },
    async start() {
      await kind.start();
      if (kind.isEmbedded) await open();
      await waitUntil('the cloud to be connected to the broker', () => broker.ready);
    },
    async close() {
      for (const client of clients) client.end(true);
      await broker.close();
      await kind.remove();
    },
  };
  await open();
  return bench;
}

/** The embedded broker. */
export async function aedesKind(): Promise<BrokerKindBench> {
  const [port = 0] = await freePorts(1);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    isEmbedded: true,
    isNameBound: true,
    open: ({ credentials, clock, logger }) =>
      createAedesBroker({
        host: '127.0.0.1',
        port,
        clock,
        logger,
        limits: BENCH_LIMITS,
        isTerminalRegistered: async () => false,
        authenticate: async (uuid, password) => (await credentials.find(uuid))?.password === password,
      }),
    kill: async () => {},
    start: async () => {},
    remove: async () => {},
  };
}

/** An external broker through `mqtt-broker`, with accounts of its kind. */
export function externalKind(options: {
  /** Where gateways connect, and the address with which the cloud does. */
  url: string;
  address: BrokerAddress;
  openAccounts(deps: {
    address: BrokerAddress;
    credentials: GatewayCredentials;
    clock: Clock;
    logger: Logger;
  }): Promise<BrokerAccounts>;
  server: { stop(how: 'SIGKILL'): Promise<void>; start(): Promise<void>; remove(): Promise<void> };
  isNameBound?: boolean;
}): BrokerKindBench {
  const { url, address, openAccounts, server, isNameBound = true } = options;
  return {
    url,
    isEmbedded: false,
    isNameBound,
    async open({ credentials, clock, logger }) {
      const accounts = await openAccounts({ address, credentials, clock, logger });
      return createMqttBroker({ address, accounts, credentials, clock, logger, limits: BENCH_LIMITS });
    },
    kill: () => server.stop('SIGKILL'),
    start: () => server.start(),
    remove: () => server.remove(),
  };
}

export async function mosquittoKind(): Promise<BrokerKindBench> {
  const server = await startMosquitto();
  return externalKind({
    url: `mqtt://127.0.0.1:${server.port}`,
    address: brokerAddress(server.url, null),
    openAccounts: createMosquittoAccounts,
    server,
  });
}

/** A cluster of three: gateways are at one server, the cloud at another one, and gives its orders at the third. All die at once. */
export async function natsKind(): Promise<BrokerKindBench> {
  const keys = createNatsKeys(createSecrets(randomBytes(32)).derive);
  const cluster = await startNatsCluster(keys);
  const [ofGateways, ofCloud, ofOrders] = cluster.servers;
  const { host } = new URL(ofCloud?.mqttUrl ?? '');
  return externalKind({
    url: ofGateways?.mqttUrl ?? '',
    address: brokerAddress(`mqtt://parking-cloud:${cloudToken(keys)}@${host}`, null),
    openAccounts: ({ address: { ca }, ...deps }) =>
      createNatsBrokerAccounts({ ...deps, ca, keys, urls: [ofOrders?.url ?? ''] }),
    server: {
      stop: async () => void (await Promise.all(cluster.servers.map((server) => server.kill()))),
      async start() {
        for (const server of cluster.servers) server.start();
        await cluster.settled();
      },
      remove: cluster.remove,
    },
    isNameBound: false,
  });
}
