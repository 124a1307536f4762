import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { StoreError } from './cloud-store.js';
import { errorText } from '../../../shared/error-text.js';

/** The table in which the migrator keeps the names of the migrations that ran. */
export const MIGRATION_TABLE = 'kysely_migration';
const MIGRATION_LOCK_TABLE = 'kysely_migration_lock';
/** The migrator's own tables. */
export const MIGRATION_TABLES: readonly string[] = [MIGRATION_TABLE, MIGRATION_LOCK_TABLE];

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
  await refuseNewerSchema(db, migrations);
  const provider = { getMigrations: async () => migrations };
  const migrator = new Migrator({ db, provider, migrationTableName: MIGRATION_TABLE });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName;
    const what = failed === undefined ? 'The database could not be brought up to date' : `Migration ${failed} failed`;
    const reason = errorText(error);
    throw new StoreError('query', `${what}; nothing was changed: ${reason}`, { cause: error });
  }
  return results.map(({ migrationName }) => migrationName);
}

/** @throws StoreError when migrations ran that this program does not know */
async function refuseNewerSchema<Schema>(db: Kysely<Schema>, migrations: Record<string, Migration>): Promise<void> {
  const unknown = (await ranMigrations(db)).filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  const hint = 'Start the version that changed it, or restore a backup from before';
  throw new StoreError('query', `The database is of a newer version (${unknown.join(', ')}). ${hint}`);
}

/** Lists the names of the migrations that ran, in their order. */
export async function ranMigrations<Schema>(db: Kysely<Schema>): Promise<string[]> {
  if (!(await hasMigrations(db))) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

async function hasMigrations<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === MIGRATION_TABLE);
}

/** Renames all of them or none, and is harmless when it runs again. */
async function renameMigrations<Schema>(db: Kysely<Schema>, renamed: Readonly<Record<string, string>>): Promise<void> {
  if (!(await hasMigrations(db))) return;
  await db.transaction().execute(async (tx) => {
    for (const [before, now] of Object.entries(renamed)) {
      await sql`update ${sql.table(MIGRATION_TABLE)} set name = ${now} where name = ${before}`.execute(tx);
    }
  });
}
