/** What cloud processes tell each other by PostgreSQL, while its server refuses one thing or another. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPool } from '../../../cloud/kernel/store/postgres/postgres-pool.js';
import { admittedBy, createServerPool, type ServerPool } from '../../../cloud/kernel/store/postgres/server-pool.js';
import { openPostgresNotices, type PostgresNotices } from '../../../cloud/kernel/store/postgres/postgres-notices.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { ask, createDatabase, dropDatabase, hasPostgres, postgresUrl } from '../../world/postgres-databases.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

/** The server stays the same. */
const server = { isCurrent: () => true, admit: async () => {}, onMoved: () => () => {}, close: async () => {} };
const LOCK_FUNCTION = 'function pg_try_advisory_lock(bigint)';

describe.runIf(hasPostgres())('what processes tell each other', () => {
  let name: string;
  let clock: FakeClock;
  let admin: Client;
  const opened: { close(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    name = `notices_${randomBytes(6).toString('hex')}`;
    clock = new FakeClock();
    await createDatabase(name);
    // Who owns the server may do everything.
    await ask(`create role ${name} login`);
    admin = new Client({ connectionString: postgresUrl(name) });
    await admin.connect();
  });
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close();
    await admin.end();
    await dropDatabase(name);
    await ask(`drop role ${name}`);
  });

  const url = () => {
    const address = new URL(postgresUrl(name));
    address.username = name;
    return address.href;
  };
  const openTestPool = () => {
    const options = { url: url(), isReadOnly: false, connectionsMax: 1, logger: silentLogger };
    return createServerPool({ pool: openPool({ ...options, verify: admittedBy(server) }), connectionsMax: 1, server });
  };
  async function open(
    processId: string,
    overrides: { pool?: Pick<ServerPool, 'query'> } = {},
  ): Promise<PostgresNotices> {
    const pool = openTestPool();
    opened.push({ close: () => pool.end() });
    const options = { url: url(), processId, isTool: () => false, clock, logger: silentLogger, server };
    const notices = await openPostgresNotices({ ...options, pool, ...overrides });
    opened.push(notices);
    return notices;
  }
  const connections = async () =>
    (await admin.query(`select 1 from pg_stat_activity where usename = '${name}'`)).rows.length;
  const mayLock = (isAllowed: boolean) =>
    admin.query(
      isAllowed ? `grant execute on ${LOCK_FUNCTION} to public` : `revoke execute on ${LOCK_FUNCTION} from public`,
    );
  const cutConnections = () =>
    admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`);

  it('leaves no connection behind when the server lets in and then refuses', async () => {
    await mayLock(false);
    await expect(open('one')).rejects.toMatchObject({ message: expect.stringContaining('42501') });
    await waitUntil('no connection', async () => (await connections()) === 0);
    await mayLock(true);
    const one = await open('one');
    let missed = 0;
    one.onMissed(() => (missed += 1));
    await mayLock(false);
    await cutConnections();
    for (let time = 0; time < 5; time++) {
      await waitUntil('the next try', async () => {
        await clock.advance(0);
        return clock.nextIn !== null;
      });
      await clock.advance(1_000);
    }
    await waitUntil('no connection but that of a try', async () => (await connections()) <= 1);
    await mayLock(true);
    await waitUntil('it to listen again', async () => {
      await clock.advance(1_000);
      return missed > 0;
    });
    expect(await connections()).toBe(1);
  });

  it('is told with the name that others see, as soon as nobody else has it', async () => {
    const lock = "hashtextextended('one', 0)";
    await admin.query(`select pg_advisory_lock(${lock})`);
    await open('one');
    await admin.query(`select pg_advisory_unlock(${lock})`);
    await waitUntil('the lock to be taken', async () => {
      await clock.advance(1_000);
      const { rows } = await admin.query<{ is_free: boolean }>(
        `select pg_try_advisory_lock(${lock}) as is_free, pg_advisory_unlock(${lock})`,
      );
      return rows[0]?.is_free === false;
    });
  });

  it('is told later when it cannot be told now, in its order, and nothing is lost', async () => {
    const other = await open('other');
    const heard: unknown[] = [];
    other.onNotice(({ news }) => heard.push(news));
    other.onForeign(({ written }) => heard.push(written));
    let refusals = 0;
    let refuses = true;
    const pool = openTestPool();
    opened.push({ close: () => pool.end() });
    const query: ServerPool['query'] = (asked) => {
      if (!refuses) return pool.query(asked);
      refusals += 1;
      return Promise.reject(new Error('the connection was lost'));
    };
    const one = await open('one', { pool: { query } });
    one.notifyCommit(new Set(['lots']));
    one.notify({ topic: 'numbers', news: 1 });
    await waitUntil('it to be refused', () => refusals === 1);
    one.notifyCommit(new Set(['zones']));
    one.notify({ topic: 'numbers', news: 2 });
    await waitUntil('it to be refused again', async () => {
      await clock.advance(1_000);
      return refusals > 2;
    });
    refuses = false;
    await waitUntil('all of it', async () => {
      await clock.advance(1_000);
      return heard.length > 2;
    });
    expect(heard).toEqual([new Set(['lots', 'zones']), 1, 2]);
  });

  it('says when there was too much of it to be kept', async () => {
    const other = await open('other');
    const heard: unknown[] = [];
    let missed = 0;
    other.onNotice(({ news }) => heard.push(news));
    other.onMissed(() => (missed += 1));
    let refuses = true;
    const pool = openTestPool();
    opened.push({ close: () => pool.end() });
    const query: ServerPool['query'] = (asked) =>
      refuses ? Promise.reject(new Error('it was lost')) : pool.query(asked);
    const one = await open('one', { pool: { query } });
    const many = Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(5_000)}`);
    for (const news of many) one.notify({ topic: 'texts', news });
    refuses = false;
    await waitUntil('the last of it', async () => {
      await clock.advance(1_000);
      return heard.at(-1) === many.at(-1);
    });
    expect(missed).toBeGreaterThan(0);
    expect(heard).toEqual(many.slice(-heard.length));
    expect(heard.length).toBeGreaterThan(500);
  });
});
