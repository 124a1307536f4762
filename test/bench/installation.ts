/** An installation for a benchmark: a durable PostgreSQL, a NATS server, a site, and as many cloud processes as are wanted. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNatsKeys } from '../../cloud/equipment/broker/nats-keys.js';
import { PARTS } from '../../cloud/kernel/peers/decide-leases.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import { freePorts } from '../world/free-ports.js';
import { type NatsServer, startNatsCluster } from '../world/nats-cluster.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { type RunningProgram, startProgram } from '../world/programs.js';
import { newFolder } from './harness.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const DATABASE = 'parking';
const WITHIN_MS = 120_000;

export interface CloudOfInstallation {
  readonly url: string;
  readonly pid: number;
  end(): Promise<void>;
}

export interface Installation {
  readonly broker: NatsServer;
  readonly postgres: PostgresServer;
  readonly directory: string;
  /** Starts one more process, and waits until each process has its share of the gateways. */
  startCloud(): Promise<CloudOfInstallation>;
  /** Asks the database. */
  ask(statement: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** @param site the text of its site file */
export async function startInstallation(site: string): Promise<Installation> {
  const directory = newFolder();
  const postgres = await startPostgres({ isDurable: true, settings: ['shared_buffers=256MB', 'max_wal_size=4GB'] });
  await postgres.run(`create database ${DATABASE}`);
  const serverKey = randomBytes(32);
  const cluster = await startNatsCluster(createNatsKeys(createSecrets(serverKey).derive), { size: 1 });
  const [broker] = cluster.servers;
  if (broker === undefined) throw new Error('there is no broker');
  const env = {
    DATABASE_URL: postgres.url(DATABASE),
    SERVER_KEY: serverKey.toString('hex'),
    DATA_DIR: join(directory, 'data'),
    MQTT_URL: broker.mqttUrl,
    MQTT_KIND: 'nats',
    MQTT_ADMIN_URL: broker.url,
    MQTT_PUBLIC_URL: broker.mqttUrl,
    MQTT_PORT: '0',
    RATE_REQUESTS_PER_MIN: '0',
    RATE_COMMANDS_PER_MIN: '0',
    LOG_LEVEL: 'warn',
  };
  const siteFile = join(directory, 'site.yaml');
  writeFileSync(siteFile, site);
  const applied = startProgram('cloud/main.js', ['apply', siteFile], env);
  const { code } = await applied.ended;
  if (code !== 0) throw new Error(`the site could not be applied:\n${applied.output()}`);

  const running = new Set<RunningProgram>();
  const ask = (statement: string) => postgres.run(statement, DATABASE);
  const shares = async () =>
    (await ask('select count(*)::int as parts from gateway_leases group by owner')).map(({ parts }) => Number(parts));
  const shared = () =>
    waitUntil(
      'each cloud to have its share',
      async () => {
        const parts = await shares();
        return parts.length === running.size && parts.every((count) => count === PARTS / running.size);
      },
      WITHIN_MS,
    );

  return {
    broker,
    postgres,
    directory,
    async startCloud() {
      const [port] = await freePorts(1);
      const url = `http://127.0.0.1:${port}`;
      const program = startProgram('cloud/main.js', ['serve'], { ...env, PORT: String(port), BASE_URL: url });
      running.add(program);
      await waitUntil(`${url} to be ready`, async () => (await fetch(`${url}/readyz`)).ok, WITHIN_MS).catch((error) => {
        throw new Error(`a cloud process is not ready:\n${program.output()}`, { cause: error });
      });
      await shared();
      return {
        url,
        pid: program.pid,
        async end() {
          await program.end();
          running.delete(program);
          if (running.size > 0) await shared();
        },
      };
    },
    ask,
    async close() {
      for (const program of running) await program.end();
      await cluster.remove();
      await postgres.remove();
    },
  };
}
