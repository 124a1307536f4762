/** Brings a database to the schema of this program. */
import { type Kysely, SqliteAdapter } from 'kysely';
import type { DeriveKey } from './cloud-store.js';
import { migrateToLatest, ranMigrations } from './migrate.js';
import { migrationsWith, MIGRATIONS, RENAMED_MIGRATIONS } from './migrations/all-migrations.js';
import { addValueChecks, dropValueChecks } from './sqlite/value-checks.js';

/**
 * @param derive by the server's key; left out: a database that has audit entries cannot be brought beyond their keyed chain
 * @returns the names of the migrations that ran, and the tables whose numbers are not checked, because there are wrong ones
 */
export async function bringUpToDate<Schema>(
  db: Kysely<Schema>,
  derive?: DeriveKey,
): Promise<{ ran: string[]; unchecked: string[] }> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  if (isSqlite && (await isBehind(db))) await dropValueChecks(db);
  const ran = await migrateToLatest(db, migrationsWith(derive), RENAMED_MIGRATIONS);
  return { ran, unchecked: isSqlite ? await addValueChecks(db) : [] };
}

async function isBehind<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const ran = new Set((await ranMigrations(db)).map((name) => RENAMED_MIGRATIONS[name] ?? name));
  return Object.keys(MIGRATIONS).some((name) => !ran.has(name));
}
