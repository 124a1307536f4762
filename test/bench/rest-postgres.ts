/** The REST interface on PostgreSQL beside the same on a SQLite file. The two take turns, so that changes of the machine affect both. */
import { Agent } from 'node:http';
import { OWNER_TOKEN } from '../integration/http/http-site.js';
import { startPostgres } from '../world/postgres-server.js';
import { amount, askFor, atOnce, median, printFigure, startChild, alternate, timed } from './harness.js';
import type { RestServer } from './rest-server.js';

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
  const [sqlite, postgres] = await Promise.all([
    startChild<RestServer>('rest-server.js'),
    startChild<RestServer>('rest-server.js', [database.url('parking')]),
  ]);
  let made = 0;
  try {
    for (const { what, path, body } of KINDS) {
      const timeOfOne = async ({ started: { ports, productId } }: typeof sqlite) => {
        const url = `http://127.0.0.1:${ports.cloud}${path(productId)}`;
        const get = () => askFor(url, { agent, bearer: OWNER_TOKEN, body: body?.((made += 1)) });
        return (await timed(() => atOnce(CONNECTIONS, REQUESTS, get))) / REQUESTS;
      };
      const runs = { sqlite: () => timeOfOne(sqlite), postgres: () => timeOfOne(postgres) };
      // The first round fills the caches.
      const times = await alternate(ROUNDS, runs, 1);
      printFigure(
        `${what}, ${CONNECTIONS} at a time (time of one)`,
        amount(median(times.postgres), '{} ms on PostgreSQL', 2),
        amount(median(times.sqlite), '{} ms on SQLite', 2),
        null,
      );
    }
  } finally {
    agent.destroy();
    await sqlite.end();
    await postgres.end();
    await database.remove();
  }
}
