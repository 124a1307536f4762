import { type Kysely, type Migration, Migrator } from 'kysely';
import { StoreError } from './cloud-store.js';

/**
 * Runs the migrations that have not run yet, all in one transaction: one that fails, or is killed half-way, leaves nothing.
 * @returns their names
 */
export async function migrateToLatest<Schema>(
  db: Kysely<Schema>,
  migrations: Record<string, Migration>,
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName;
    const what = failed === undefined ? 'The database could not be brought up to date' : `Migration ${failed} failed`;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError('query', `${what}; nothing was changed: ${reason}`, { cause: error });
  }
  return results.map(({ migrationName }) => migrationName);
}
