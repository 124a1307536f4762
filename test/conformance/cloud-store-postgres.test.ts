import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { createPostgresStore } from '../../cloud/store/postgres/postgres-store.js';
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
});
