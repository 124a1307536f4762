/** What a cloud's database may suffer on a PostgreSQL server: what a change answered is there, once, and the store goes on by itself. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { type CloudStore, StoreError } from '../../cloud/kernel/store/cloud-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { longRuns, someOf } from '../depth.js';
import { hasPostgres } from '../world/postgres-databases.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { printsFaults } from './fault-table.js';
import { startWriters } from './postgres-writers.js';

describe.runIf(hasPostgres())('a PostgreSQL server', () => {
  const faults = printsFaults('Faults of PostgreSQL');
  let server: PostgresServer;
  let store: CloudStore;
  let databases = 0;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: true, settings: ['max_connections=30'] });
  });
  afterAll(() => server.remove());
  const open = () =>
    createPostgresStore({ url: server.url(`faults_${databases}`), clock: systemClock, logger: silentLogger });
  beforeEach(async () => {
    databases += 1;
    await server.run(`create database faults_${databases}`);
    store = await open();
    await store.migrate(MIGRATIONS);
  });
  afterEach(() => store.close());

  it.each(someOf(['fast', 'immediate', 'kill'] as const, 3))('may be stopped (%s) and started again', async (how) => {
    const writers = startWriters(store, { faults, fault: `stopped (${how}) and started again` });
    for (let time = 0; time < longRuns(2); time++) {
      await writers.more(50);
      await server.stop(how);
      await server.start();
    }
    await writers.more(50);
    await writers.stop();
    expect([...writers.codes].filter((code) => code !== 'io')).toEqual([]);
  });

  it('may have no connection left for a while', async () => {
    const writers = startWriters(store, { faults, fault: 'no connection left' });
    await writers.more(20);
    const others: CloudStore[] = [];
    // Each opens connections until there is none.
    const refused = await (async () => {
      for (;;) {
        try {
          const other = await open();
          others.push(other);
          await Promise.all(
            Array.from({ length: 20 }, () => other.reader.selectFrom('accounts').select('id').limit(1).execute()),
          );
        } catch (error) {
          return error;
        }
      }
    })();
    expect(refused).toMatchObject({ name: 'StoreError', code: expect.stringMatching(/^(io|no_connection)$/) });
    for (const other of others) await other.close();
    await writers.more(20);
    await writers.stop();
  });

  it('may be read only for a while, and says so', async () => {
    const writers = startWriters(store, { faults, fault: 'read only' });
    await writers.more(20);
    const setReadOnly = async (value: 'on' | 'off') => {
      await server.run(`alter database faults_${databases} set default_transaction_read_only = ${value}`);
      await server.run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'faults_${databases}'`);
    };
    await setReadOnly('on');
    await waitUntil('a change to be refused', () =>
      store
        .change((tx) => tx.deleteFrom('api_tokens').execute())
        .then(
          () => false,
          (error: unknown) => error instanceof StoreError && /read-only/.test(error.message),
        ),
    );
    await setReadOnly('off');
    await writers.more(20);
    await writers.stop();
  });

  it('may end connections in the middle of changes', async () => {
    const writers = startWriters(store, { faults, fault: 'connections ended' });
    for (let time = 0; time < longRuns(5); time++) {
      await writers.more(20);
      await server.run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'faults_${databases}'`);
    }
    await writers.more(20);
    await writers.stop();
  });
});
