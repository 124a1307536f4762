import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { StoreError } from './cloud-store.js';

/** The table in which the migrator keeps the names of the migrations that ran. */
const MIGRATION_TABLE = 'kysely_migration';

/**
 * Runs the migrations that have not run yet, all in one transaction: if one fails or is interrupted, nothing changes.
 * @param renamed by the names that earlier releases gave to migrations: their present names
 * @returns their names
 */
export async function migrateToLatest<Schema>(
  db: Kysely<Schema>,
  migrations: Record<string, Migration>,
  renamed: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  await renameMigrations(db, renamed);
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db, provider, migrationTableName: MIGRATION_TABLE });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName;
    const what = failed === undefined ? 'The database could not be brought up to date' : `Migration ${failed} failed`;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError('query', `${what}; nothing was changed: ${reason}`, { cause: error });
  }
  return results.map(({ migrationName }) => migrationName);
}

/** Renames all of them or none, and is harmless when it runs again. */
async function renameMigrations<Schema>(db: Kysely<Schema>, renamed: Readonly<Record<string, string>>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === MIGRATION_TABLE)) return;
  await db.transaction().execute(async (tx) => {
    for (const [before, now] of Object.entries(renamed)) {
      await sql`update ${sql.table(MIGRATION_TABLE)} set name = ${now} where name = ${before}`.execute(tx);
    }
  });
}
