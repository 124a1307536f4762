/** What callers are answered while the cloud's PostgreSQL server fails, and that all is well as soon as it works again. */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { seedSite } from '../integration/http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../integration/http/http-world.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { ask, createLot, LIST, LOGIN, READY, refusedWith } from './database-callers.js';

const CONNECTIONS_MAX = 30;
const LOST = /does not work or cannot be reached/;

/** The status with which a realtime connection is refused. */
function upgrade(cloud: CloudWorld): Promise<number | undefined> {
  const socket = new WebSocket(`${cloud.base.replace('http', 'ws')}/v2/realtime?token=unheard-of`);
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode);
      socket.terminate();
    });
    socket.once('open', () => reject(new Error('it was let in')));
    socket.once('error', () => {});
  });
}

describe.runIf(hasPostgres())('a PostgreSQL server', () => {
  let server: PostgresServer;
  let cloud: CloudWorld;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: true, settings: [`max_connections=${CONNECTIONS_MAX}`] });
    await server.run('create database parking');
    cloud = await startCloudWorld({ databaseUrl: server.url('parking') });
    await seedSite(cloud.store);
  });
  afterAll(async () => {
    await cloud.close();
    await server.remove();
  });
  const cutConnections = () =>
    server.run("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'parking'");
  const worksAgain = () =>
    waitUntil('everything to work again', async () => {
      for (const asked of [LIST, createLot(), LOGIN, READY]) if ((await ask(cloud, asked)) !== '200') return false;
      return true;
    });

  it('is gone: 503 for everybody, and the process is up', async () => {
    expect(await ask(cloud, LIST)).toBe('200');
    await server.stop('immediate');
    for (const asked of [LIST, createLot(), LOGIN, READY]) {
      expect(await ask(cloud, asked)).toEqual(refusedWith(LOST));
    }
    expect(await upgrade(cloud)).toBe(503);
    expect(await ask(cloud, { method: 'GET', path: '/healthz', isPublic: true })).toBe('200');
    expect(cloud.log.some(({ level, message }) => level === 'error' && message === 'Request failed')).toBe(true);
    await server.start();
    await worksAgain();
  });

  it('can only be read: writes are refused', async () => {
    await server.run('alter database parking set default_transaction_read_only = on');
    await cutConnections();
    await waitUntil('new connections', async () => (await ask(cloud, LIST)) === '200');
    await waitUntil('the reason', async () => /only be read/.test(await ask(cloud, createLot())));
    expect(await ask(cloud, createLot())).toEqual(refusedWith(/can only be read/));
    expect(await ask(cloud, READY)).toBe('200');
    await server.run('alter database parking set default_transaction_read_only = off');
    await worksAgain();
  });

  it.each([
    { fails: ['insert on lots'], made: 0, again: /^200$/ },
    { fails: ['insert on lots', 'delete on idempotency_keys'], made: 0, again: /^200$/ },
    // Whether what the first request did was committed is not always known, so that nothing is done twice.
    { fails: ['update on idempotency_keys'], made: 1, again: /^422 code 23 .*was interrupted/ },
  ])('fails at $fails: a request is sent again with its key', async ({ fails, made, again }) => {
    const run = (statement: string) => server.run(statement, 'parking');
    await run(`create or replace function refuse() returns trigger language plpgsql as $$
      begin raise exception using errcode = '53100', message = 'no room'; end $$`);
    const triggers = fails.map((event, index) => ({ name: `refuse_${index}`, event }));
    for (const { name, event } of triggers)
      await run(`create trigger ${name} before ${event} for each row execute function refuse()`);
    const lots = async () => (await cloud.store.reader.selectFrom('lots').select('id').execute()).length;
    const before = await lots();
    const asked = { ...createLot(), key: fails.join().replaceAll(' ', '-') };
    expect(await ask(cloud, asked)).toEqual(refusedWith(/full/));
    expect(await lots()).toBe(before + made);
    for (const { name, event } of triggers) await run(`drop trigger ${name} ${event.replace(/^.* on/, 'on')}`);
    expect(await ask(cloud, asked)).toMatch(again);
    expect(await lots()).toBe(before + 1);
  });

  it('says so when it has no connection left', async () => {
    const others: Client[] = [];
    const refused = async () => {
      const client = new Client({ connectionString: server.url('postgres') });
      client.on('error', () => {});
      await client.connect();
      others.push(client);
    };
    // The connections that the cloud gives up are taken by others, until it has none.
    await waitUntil('the last connection', async () => {
      const [first] = others;
      await first?.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'parking'");
      for (;;) {
        try {
          await refused();
        } catch {
          return /no connection left/.test(await ask(cloud, LIST));
        }
      }
    });
    expect(await ask(cloud, createLot())).toEqual(refusedWith(/no connection left/));
    expect(await ask(cloud, READY)).toEqual(refusedWith(/no connection left/));
    for (const client of others) await client.end();
    await worksAgain();
  });
});
