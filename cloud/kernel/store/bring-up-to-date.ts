/** Brings a database to the schema of this program. */
import { type Kysely, SqliteAdapter } from 'kysely';
import { migrateToLatest, ranMigrations } from './migrate.js';
import { MIGRATIONS, RENAMED_MIGRATIONS } from './migrations/all-migrations.js';
import { addValueChecks, dropValueChecks } from './sqlite/value-checks.js';

/** @returns the names of the migrations that ran, and the tables whose numbers are not checked, because there are wrong ones */
export async function bringUpToDate<Schema>(db: Kysely<Schema>): Promise<{ ran: string[]; unchecked: string[] }> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  if (isSqlite && (await isBehind(db))) await dropValueChecks(db);
  const ran = await migrateToLatest(db, MIGRATIONS, RENAMED_MIGRATIONS);
  return { ran, unchecked: isSqlite ? await addValueChecks(db) : [] };
}

async function isBehind<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const ran = new Set((await ranMigrations(db)).map((name) => RENAMED_MIGRATIONS[name] ?? name));
  return Object.keys(MIGRATIONS).some((name) => !ran.has(name));
}
