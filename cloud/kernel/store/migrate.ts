import { type Kysely, Migrator, sql } from 'kysely';
import { type Migrations, StoreError } from './cloud-store.js';
import { errorText } from '../../../shared/error-text.js';

/** The table in which the migrator keeps the names of the migrations that ran. */
export const MIGRATION_TABLE = 'kysely_migration';
const MIGRATION_LOCK_TABLE = 'kysely_migration_lock';
/** The migrator's own tables. */
export const MIGRATION_TABLES: readonly string[] = [MIGRATION_TABLE, MIGRATION_LOCK_TABLE];

/**
 * Runs the migrations that have not run yet, all in one transaction: if one fails or is interrupted, nothing changes.
 * @returns their names
 */
export async function migrateToLatest<Schema>(db: Kysely<Schema>, migrations: Migrations): Promise<string[]> {
  const provider = { getMigrations: async () => ({ ...migrations }) };
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

/** @throws StoreError when migrations ran that this program does not know; nothing was changed */
export async function refuseUnknownSchema<Schema>(db: Kysely<Schema>, migrations: Migrations): Promise<void> {
  const ran = await ranMigrations(db);
  const unknown = ran.filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  if (!ran.includes(Object.keys(migrations)[0] ?? '')) {
    const hint = 'Name an empty database in DATABASE_URL, and declare the site there with parking-cloud apply';
    throw new StoreError('query', `A version from before the first release made this database. ${hint}`);
  }
  const hint = 'Start the version that changed it, or restore a backup from before';
  throw new StoreError('query', `The database is of a newer version (${unknown.join(', ')}). ${hint}`);
}

/** Lists the names of the migrations that ran, in their order. */
export async function ranMigrations<Schema>(db: Kysely<Schema>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === MIGRATION_TABLE)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)} order by name`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}
