/** Several cloud processes on one PostgreSQL database and one Mosquitto, beside a world's own. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from './free-ports.js';
import { type MosquittoServer, startMosquitto } from './mosquitto-server.js';
import { createDatabase, dropDatabase, postgresUrl, TEMPLATE } from './postgres-databases.js';
import { type RunningProgram, startProgram } from './programs.js';
import { listenRealtime, type RealtimeListener } from './realtime-listener.js';
import { TEST_SITE } from './site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World, type WorldOptions } from './world.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CloudProcess {
  readonly url: string;
  readonly program: RunningProgram;
  /** Resolves when it says that it is ready. */
  ready(): Promise<void>;
  /** Its answer to a request with the API token. */
  call<T>(method: Method, path: string, body?: unknown): Promise<{ status: number; body: T }>;
  listen(lastEventId?: string): Promise<RealtimeListener>;
}

export interface ProcessesWorld {
  /** The car park; its cloud is the first process. */
  readonly world: World;
  readonly mosquitto: MosquittoServer;
  readonly databaseUrl: string;
  /** Starts one more process, at a port of its own unless PORT is given. */
  start(env?: Record<string, string>): Promise<CloudProcess>;
  /** Asks the database. */
  ask<Row extends object>(statement: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** How many gateway parts each process has, the most first. */
export const sharesOf = async ({ ask }: Pick<ProcessesWorld, 'ask'>): Promise<number[]> =>
  (
    await ask<{ count: number }>('select count(*)::int as count from gateway_leases group by owner order by 1 desc')
  ).map(({ count }) => count);

/** @param options.databaseUrl of a database that is there; left out: one on the run's server, which goes with the world */
export async function createProcessesWorld(
  options: WorldOptions & { databaseUrl?: string } = {},
): Promise<ProcessesWorld> {
  const name = `processes_${randomBytes(6).toString('hex')}`;
  const isOwn = options.databaseUrl === undefined;
  if (isOwn) await createDatabase(name, { template: TEMPLATE });
  const databaseUrl = options.databaseUrl ?? postgresUrl(name);
  const mosquitto = await startMosquitto();
  const env = {
    DATABASE_URL: databaseUrl,
    MQTT_URL: mosquitto.url,
    MQTT_KIND: 'mosquitto',
    SERVER_KEY: randomBytes(32).toString('hex'),
    RATE_COMMANDS_PER_MIN: '0',
    RATE_REQUESTS_PER_MIN: '0',
    ...options.cloudEnv,
  };
  const world = await createWorld({ ...options, driver: 'programs', cloudEnv: env }).catch(async (error: unknown) => {
    await mosquitto.remove();
    throw error;
  });
  const started: RunningProgram[] = [];

  return {
    world,
    mosquitto,
    databaseUrl,
    async start(more = {}) {
      const port = more['PORT'] ?? (await freePorts(1))[0];
      const program = startProgram('cloud/main.js', ['serve'], {
        ...env,
        PORT: String(port),
        MQTT_PORT: '0',
        DATA_DIR: join(world.dataDir, 'cloud'),
        ...more,
      });
      started.push(program);
      const url = `http://127.0.0.1:${port}`;
      const process = processOf(url, program);
      await process.ready();
      return process;
    },
    async ask<Row extends object>(statement: string) {
      const database = new Client({ connectionString: databaseUrl });
      await database.connect();
      try {
        return (await database.query<Row>(statement)).rows;
      } finally {
        await database.end();
      }
    },
    async close() {
      await Promise.all(started.map((program) => program.end()));
      await world.close();
      await mosquitto.remove();
      if (isOwn) await dropDatabase(name);
    },
  };
}

function processOf(url: string, program: RunningProgram): CloudProcess {
  return {
    url,
    program,
    async ready() {
      const isReady = async () => (await fetch(`${url}/readyz`)).ok;
      await waitUntil(`${url} to be ready`, isReady).catch((error: unknown) => {
        throw new Error(`a cloud process is not ready:\n${program.output()}`, { cause: error });
      });
    },
    async call<T>(method: string, path: string, body?: unknown) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${TEST_SITE.apiToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as T };
    },
    listen: (lastEventId) => listenRealtime(url, TEST_SITE.apiToken, lastEventId),
  };
}
