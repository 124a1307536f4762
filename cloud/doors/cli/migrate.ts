/** `parking-cloud migrate` */
import type { CloudStore, Migrations } from '../../kernel/store/entry.js';
import type { CommandIo } from './apply.js';

export interface MigrateDeps {
  /** Opens the database as it is. */
  openStore(): Promise<CloudStore>;
  migrations: Migrations;
}

/** Brings the schema of the database up to date, as `serve` does at its start. */
export async function runMigrate({ openStore, migrations }: MigrateDeps, io: CommandIo): Promise<0> {
  const store = await openStore();
  try {
    const ran = await store.migrate(migrations);
    for (const name of ran) io.out(`migrated  ${name}`);
    if (ran.length === 0) io.out('The database is up to date.');
    return 0;
  } finally {
    await store.close();
  }
}
