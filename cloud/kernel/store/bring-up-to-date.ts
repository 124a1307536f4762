/** Brings a database to the schema of this program. */
import type { Kysely } from 'kysely';
import type { DeriveKey } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';
import { migrateToLatest, ranMigrations } from './migrate.js';
import { migrationsWith, MIGRATIONS, RENAMED_MIGRATIONS } from './migrations/all-migrations.js';

/**
 * @param derive by the server's key; left out: a database that has audit entries cannot be brought beyond their keyed chain
 * @returns the names of the migrations that ran, and the tables whose numbers are not checked, because there are wrong ones
 */
export async function bringUpToDate<Schema>(
  db: Kysely<Schema>,
  derive?: DeriveKey,
): Promise<{ ran: string[]; unchecked: string[] }> {
  const adapter = adapterOf(db);
  if (await isBehind(db)) await adapter.dropValueChecks(db);
  const ran = await migrateToLatest(db, migrationsWith(derive), RENAMED_MIGRATIONS);
  return { ran, unchecked: await adapter.addValueChecks(db) };
}

async function isBehind<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const ran = new Set((await ranMigrations(db)).map((name) => RENAMED_MIGRATIONS[name] ?? name));
  return Object.keys(MIGRATIONS).some((name) => !ran.has(name));
}
