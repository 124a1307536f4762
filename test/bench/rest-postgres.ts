/** The REST interface on PostgreSQL beside the same on a SQLite file. The two take turns, so that changes of the machine affect both. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { OWNER_TOKEN } from '../integration/http/http-site.js';
import { startPostgres } from '../world/postgres-server.js';
import { ask, type Target } from './ask-http.js';
import { printFigure, quantile } from './figure.js';

const SERVER = fileURLToPath(new URL('rest-server.js', import.meta.url));
const CONNECTIONS = 8;
const REQUESTS = 500;
const ROUNDS = 3;

const KINDS = [
  { what: 'a record by id', path: (id: number) => `/v2/products/${id}`, body: undefined },
  { what: 'a list of ten', path: () => '/v2/lots?size=10', body: undefined },
  {
    what: 'a change',
    path: () => '/v2/members',
    body: (number: number) => JSON.stringify({ name: `Member ${number}` }),
  },
] as const;

export async function benchRestPostgres(): Promise<void> {
  const database = await startPostgres({ isDurable: true, settings: ['shared_buffers=256MB'] });
  await database.run('create database parking');
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const servers = { sqlite: fork(SERVER), postgres: fork(SERVER, [database.url('parking')]) };
  try {
    const places = { sqlite: await placeOf(servers.sqlite), postgres: await placeOf(servers.postgres) };
    for (const { what, path, body } of KINDS) {
      const times = { sqlite: [] as number[], postgres: [] as number[] };
      // The first round fills the caches.
      for (let round = 0; round <= ROUNDS; round++) {
        for (const kind of ['sqlite', 'postgres'] as const) {
          const { port, productId } = places[kind];
          const took = await askMany(agent, { port, path: path(productId) }, body);
          if (round > 0) times[kind].push(took / REQUESTS);
        }
      }
      const [own, reference] = [quantile(times.postgres, 0.5), quantile(times.sqlite, 0.5)];
      printFigure({
        what: `${what}, ${CONNECTIONS} at a time (time of one)`,
        measured: `${own.toFixed(2)} ms on PostgreSQL`,
        reference: `${reference.toFixed(2)} ms on SQLite`,
        ratio: own / reference,
        reach: null,
      });
    }
  } finally {
    agent.destroy();
    for (const server of Object.values(servers)) {
      server.disconnect();
      await once(server, 'exit');
    }
    await database.remove();
  }
}

async function placeOf(server: ReturnType<typeof fork>): Promise<{ port: number; productId: number }> {
  const [started] = (await once(server, 'message')) as [{ ports: { cloud: number }; productId: number }];
  return { port: started.ports.cloud, productId: started.productId };
}

let made = 0;
/** @returns how long all took, in milliseconds */
async function askMany(agent: Agent, target: Target, body: ((number: number) => string) | undefined): Promise<number> {
  let left = REQUESTS;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      made += 1;
      await ask({ agent, target, bearer: OWNER_TOKEN, ...(body === undefined ? {} : { body: body(made) }) });
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return performance.now() - startedMs;
}
