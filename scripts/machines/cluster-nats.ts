/** A NATS cluster of three, configured as the cloud writes it for an operator. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { createNatsKeys } from '../../cloud/equipment/broker/nats-keys.js';
import { type NatsNode, natsServerConfig } from '../../cloud/equipment/broker/nats-server-config.js';
import { cloudToken } from '../../cloud/equipment/broker/nats-tokens.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import type { Program } from '../demo/children.js';

const HOST = '127.0.0.1';

export interface NatsMachine {
  program: Program;
  ports: NatsNode['ports'];
  /** Whether it serves the cloud: only then has it found the others. */
  serves(): Promise<boolean>;
}

/** Writes their configuration. @param options.ports three of each server */
export function natsMachines(options: {
  command: string;
  dataDir: string;
  serverKey: Uint8Array;
  ports: readonly NatsNode['ports'][];
}): NatsMachine[] {
  const { command, dataDir, serverKey } = options;
  const keys = createNatsKeys(createSecrets(serverKey).derive);
  const nodes = options.ports.map((ports, index): NatsNode => {
    const name = `nats-${index + 1}`;
    return { name, host: HOST, ports, storeDirectory: join(dataDir, name) };
  });
  return nodes.map((node) => {
    mkdirSync(node.storeDirectory, { recursive: true, mode: 0o700 });
    const file = join(dataDir, `${node.name}.conf`);
    const config = natsServerConfig(keys, node, { nodes, tls: null });
    // It holds the password of the cluster, and here nobody else is served.
    writeFileSync(file, config.replaceAll('0.0.0.0', HOST), { mode: 0o600 });
    const logFile = join(dataDir, `${node.name}.log`);
    const program = { name: node.name, command, args: ['-c', file], env: {}, logFile };
    return { program, ports: node.ports, serves: () => serves(node, cloudToken(keys)) };
  });
}

async function serves({ host, name, ports }: NatsNode, password: string): Promise<boolean> {
  const login = { clientId: `probe ${name}`, username: 'probe', password, reconnectPeriod: 0, connectTimeout: 2_000 };
  try {
    const client = await mqtt.connectAsync(`mqtt://${host}:${ports.mqtt}`, login, false);
    await client.endAsync();
    return true;
  } catch {
    return false;
  }
}
