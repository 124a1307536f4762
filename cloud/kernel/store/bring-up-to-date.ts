/** Brings a database to the schema of this program. */
import type { Kysely } from 'kysely';
import type { Migrations } from './cloud-store.js';
import { adapterOf } from './database-adapter.js';
import { migrateToLatest, ranMigrations, refuseUnknownSchema } from './migrate.js';

/**
 * @returns the names of the migrations that ran
 * @throws StoreError when another version made or changed it, or a migration fails; nothing was changed
 */
export async function bringUpToDate<Schema>(db: Kysely<Schema>, migrations: Migrations): Promise<string[]> {
  await refuseUnknownSchema(db, migrations);
  const adapter = adapterOf(db);
  const before = new Set(await ranMigrations(db));
  if (Object.keys(migrations).some((name) => !before.has(name))) await adapter.dropValueChecks(db);
  const ran = await migrateToLatest(db, migrations);
  await adapter.addValueChecks(db);
  return ran;
}
