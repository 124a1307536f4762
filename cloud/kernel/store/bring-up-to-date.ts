/** Brings a database to the schema of this program. */
import { type Kysely, SqliteAdapter } from 'kysely';
import type { Migrations } from './cloud-store.js';
import { migrateToLatest, ranMigrations, refuseUnknownSchema } from './migrate.js';
import { addValueChecks, dropValueChecks } from './sqlite/value-checks.js';

/**
 * @returns the names of the migrations that ran
 * @throws StoreError when another version made or changed it, or a migration fails; nothing was changed
 */
export async function bringUpToDate<Schema>(db: Kysely<Schema>, migrations: Migrations): Promise<string[]> {
  await refuseUnknownSchema(db, migrations);
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const before = new Set(await ranMigrations(db));
  const isBehind = Object.keys(migrations).some((name) => !before.has(name));
  if (isSqlite && isBehind) await dropValueChecks(db);
  const ran = await migrateToLatest(db, migrations);
  if (isSqlite) await addValueChecks(db);
  return ran;
}
