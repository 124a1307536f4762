import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Client } from 'pg';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';
import { type Lock, LOCKS } from '../../cloud/kernel/store/locks.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { createDatabase, dropDatabase, hasPostgres, postgresUrl, TEMPLATE } from '../world/postgres-databases.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { cloudStoreConformance, type StorePlace } from './cloud-store-conformance.js';

let made = 0;

async function createPlace({ isEmpty }: { isEmpty: boolean }): Promise<StorePlace> {
  made += 1;
  const name = `conformance_${process.pid}_${made}`;
  await createDatabase(name, isEmpty ? {} : { template: TEMPLATE });
  const url = postgresUrl(name);
  return {
    open: (clock, logger) => createPostgresStore({ url, clock, logger }),
    crasher: [process.execPath, fileURLToPath(new URL('./cloud-store-crasher.js', import.meta.url)), url],
    remove: () => dropDatabase(name),
  };
}

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  cloudStoreConformance('postgres', createPlace, 'many');

  it('changes go on while a newer program alters the tables of a prepared statement', async () => {
    const place = await createPlace({ isEmpty: false });
    const url = postgresUrl(`conformance_${process.pid}_${made}`);
    const store = await createPostgresStore({ url, clock: systemClock, logger: silentLogger });
    const newer = new Client({ connectionString: url });
    await newer.connect();
    const read = () => store.change((tx) => tx.selectFrom('accounts').selectAll().where('id', '=', 1).execute());
    try {
      for (let time = 0; time < 20; time++) await read();
      const prepared = sql<{ count: number }>`select count(*) as count from pg_prepared_statements`;
      expect((await store.change((tx) => prepared.execute(tx))).rows[0]?.count).toBeGreaterThan(0);
      await newer.query('alter table accounts add column newer integer');
      for (let time = 0; time < 20; time++) expect(await read()).toEqual([]);
    } finally {
      await newer.end();
      await store.close();
      await place.remove();
    }
  });

  it('changes that acquire their locks the other way round do not wait for each other', async () => {
    const place = await createPlace({ isEmpty: false });
    const url = postgresUrl(`conformance_${process.pid}_${made}`);
    const registries = [new Registry(), new Registry()] as const;
    const open = (registry: Registry) =>
      createPostgresStore({ url, clock: systemClock, logger: silentLogger, registry });
    const stores = [await open(registries[0]), await open(registries[1])] as const;
    const conflicts = async (kind: string) => {
      const lines = (await Promise.all(registries.map((each) => each.metrics()))).join('\n');
      const counts = lines.matchAll(/^parking_database_conflicts_total\{kind="(\w+)"\} (\d+)$/gm);
      return [...counts].reduce((sum, [, of, count]) => sum + (of === kind ? Number(count) : 0), 0);
    };
    /** Whether each of both holds its first lock: then each wants the other's. */
    const holding = new Set<object>();
    const change = (store: CloudStore, locks: readonly Lock[], gone: string[]) =>
      store.change(async (tx) => {
        const [first, second] = locks;
        if (first === undefined || second === undefined) throw new Error('two locks');
        await tx.lock(first);
        holding.add(store);
        if (gone.length === 0) await waitUntil('both to hold one', () => holding.size === 2);
        gone.push('tried');
        await tx.lock(second);
      });
    const tries: [string[], string[]] = [[], []];
    try {
      await Promise.all([
        change(stores[0], [LOCKS.site, LOCKS.auditChain], tries[0]),
        change(stores[1], [LOCKS.auditChain, LOCKS.site], tries[1]),
      ]);
      // Who keeps to the order waits; the other one begins again with both.
      expect(tries).toEqual([['tried'], ['tried', 'tried']]);
      expect([await conflicts('locks'), await conflicts('database')]).toEqual([1, 0]);
    } finally {
      for (const store of stores) await store.close();
      await place.remove();
    }
  });
});
