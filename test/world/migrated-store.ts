/** Databases of the newest schema: one is migrated per run of the tests, and each test works with a copy. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import { createPostgresStore } from '../../cloud/kernel/store/postgres/postgres-store.js';
import { createSecrets } from '../../cloud/kernel/secrets/secrets.js';
import { onPostgres, postgresFor } from './postgres-databases.js';
import { refusingNestedChanges } from './unnested-changes.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import type { CloudStore } from '../../cloud/kernel/store/cloud-store.js';
import {
  type CloudStoreOptions,
  createCloudStore,
  databasePathOf,
} from '../../cloud/kernel/store/sqlite/sqlite-store.js';

/** Those of a database whose server key no test names. */
export const TEST_SECRETS = createSecrets(new Uint8Array(32).fill(1));

/** Where the processes of the tests find the file that they copy. */
const TEMPLATE = 'MIGRATED_DATABASE';

/** Whether the file to copy has been made. */
export const hasTemplate = (): boolean => process.env[TEMPLATE] !== undefined;

/** For the runner's set-up: makes the file to copy, and returns what removes it. */
export async function createTemplate(): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'migrated-database-'));
  const path = join(directory, 'cloud.db');
  const store = await createCloudStore({ url: `sqlite:${path}`, clock: systemClock, logger: silentLogger });
  await store.migrate(MIGRATIONS);
  // The last connection folds the log into the file.
  await store.close();
  process.env[TEMPLATE] = path;
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Puts a database whose schema is the newest one where none is. @returns whether it did */
export function copyTemplate(path: string): boolean {
  const template = process.env[TEMPLATE];
  if (template === undefined || existsSync(path)) return false;
  copyFileSync(template, path);
  return true;
}

/**
 * Opens a store whose schema is the newest one. A database that is there already is kept. With TEST_DATABASE=postgres it is on the run's
 * PostgreSQL server, in a database for the path.
 */
export async function openMigratedStore(given: CloudStoreOptions): Promise<CloudStore> {
  const options = { derive: TEST_SECRETS.derive, ...given };
  const path = databasePathOf(options.url);
  if (onPostgres())
    return refusingNestedChanges(await createPostgresStore({ ...options, url: await postgresFor(path) }));
  const isCopied = copyTemplate(path);
  const store = await createCloudStore(options);
  // Asking a database of fifty tables whether it is up to date takes as long as a small test.
  if (!isCopied) await store.migrate(MIGRATIONS);
  return refusingNestedChanges(store);
}
