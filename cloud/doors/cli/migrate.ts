/** `parking-cloud migrate` */
import type { CommandDeps, CommandIo } from './apply.js';

/** Brings the schema of the database up to date, as `serve` does at its start. */
export async function runMigrate(deps: Pick<CommandDeps, 'openStore'>, io: CommandIo): Promise<0> {
  const store = await deps.openStore();
  try {
    const ran = await store.migrate();
    for (const name of ran) io.out(`migrated  ${name}`);
    if (ran.length === 0) io.out('The database is up to date.');
    return 0;
  } finally {
    await store.close();
  }
}
