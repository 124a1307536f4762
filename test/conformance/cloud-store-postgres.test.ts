import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createPostgresStore } from '../../cloud/store/postgres/postgres-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { createDatabase, dropDatabase, hasPostgres, postgresUrl, TEMPLATE } from '../sim/world/postgres-databases.js';
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
});
