/** A NATS cluster of the tests' own, in a directory that goes with it, configured as the cloud writes it for an operator. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { type NatsNode, natsServerConfig } from '../../cloud/equipment/broker/nats-server-config.js';
import type { NatsKeys } from '../../cloud/equipment/broker/nats-keys.js';
import { cloudToken } from '../../cloud/equipment/broker/nats-tokens.js';
import { findProgram } from '../../scripts/machines/find-programs.js';
import { endServer } from './server-program.js';
import { freePorts } from './free-ports.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

export interface NatsServer {
  /** `nats://` or `tls://`: where the cloud gives its orders. */
  readonly url: string;
  /** `mqtt://` or `mqtts://` */
  readonly mqttUrl: string;
  kill(): Promise<void>;
  start(): void;
}

export interface NatsCluster {
  readonly servers: readonly NatsServer[];
  /** Waits until gateways are served by every one of these servers. */
  settled(servers?: readonly NatsServer[]): Promise<void>;
  remove(): Promise<void>;
}

/** Whether tests with a cluster can run. @throws in CI, where nothing is left out */
export function hasNats(): boolean {
  const isThere = findProgram('nats-server') !== null;
  if (!isThere && process.env['CI'] !== undefined) throw new Error('NATS is missing: scripts/setup --test installs it');
  return isThere;
}

/** @param options.tls PEM files of a certificate for 127.0.0.1 */
export async function startNatsCluster(
  keys: NatsKeys,
  options: { size?: number; tls?: { cert: string; key: string; ca: string } } = {},
): Promise<NatsCluster> {
  const program = findProgram('nats-server');
  if (program === null) throw new Error('NATS is not installed: scripts/setup --test installs it');
  const { size = 3, tls = null } = options;
  const directory = mkdtempSync(join(tmpdir(), 'nats-'));
  const ports = await freePorts(3 * size);
  const nodes = Array.from({ length: size }, (_, index): NatsNode => {
    const [client = 0, mqttPort = 0, route = 0] = ports.slice(3 * index);
    const name = `nats-${index + 1}`;
    return { name, host: '127.0.0.1', ports: { client, mqtt: mqttPort, route }, storeDirectory: join(directory, name) };
  });
  const servers = nodes.map((node): NatsServer => {
    const file = join(directory, `${node.name}.conf`);
    writeFileSync(file, natsServerConfig(keys, node, { nodes, tls }).replaceAll('0.0.0.0', '127.0.0.1'));
    execFileSync(program, ['-t', '-c', file], { stdio: 'pipe' });
    let child: ChildProcess | undefined;
    return {
      url: `${tls === null ? 'nats' : 'tls'}://127.0.0.1:${node.ports.client}`,
      mqttUrl: `${tls === null ? 'mqtt' : 'mqtts'}://127.0.0.1:${node.ports.mqtt}`,
      start() {
        child = spawn(program, ['-c', file, '-l', join(directory, `${node.name}.log`)], { stdio: 'ignore' });
      },
      kill: () => endServer(child, 'SIGKILL'),
    };
  });
  const ca = tls === null ? {} : { ca: readFileSync(tls.ca) };
  const cluster: NatsCluster = {
    servers,
    async settled(some = servers) {
      for (const { mqttUrl } of some) {
        const probe = { clientId: `probe ${mqttUrl}`, username: 'probe', password: cloudToken(keys), ...ca };
        await waitUntil(`${mqttUrl} to serve`, async () => {
          const client = await mqtt.connectAsync(mqttUrl, { ...probe, reconnectPeriod: 0 }, false);
          await client.endAsync();
          return true;
        });
      }
    },
    async remove() {
      await Promise.all(servers.map((server) => server.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
  for (const server of servers) server.start();
  await cluster.settled();
  return cluster;
}
