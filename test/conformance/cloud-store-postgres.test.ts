import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { createPostgresStore } from '../../cloud/store/postgres/postgres-store.js';
import { createDatabase, dropDatabase, hasPostgres, postgresUrl } from '../sim/world/postgres-databases.js';
import { cloudStoreConformance } from './cloud-store-conformance.js';

let made = 0;

describe.runIf(hasPostgres())('on PostgreSQL', () => {
  cloudStoreConformance('postgres', async () => {
    made += 1;
    const name = `conformance_${process.pid}_${made}`;
    await createDatabase(name);
    const url = postgresUrl(name);
    return {
      open: (clock, logger) => createPostgresStore({ url, clock, logger }),
      crasher: [process.execPath, fileURLToPath(new URL('./cloud-store-crasher.js', import.meta.url)), url],
      remove: () => dropDatabase(name),
    };
  });
});
