/** Runs once, before the processes of the tests start. */
import { chooseSeed } from './seed.js';
import { createTemplate } from './sim/world/migrated-store.js';
import { startTestServer } from './sim/world/postgres-databases.js';

export async function setup(): Promise<() => Promise<void>> {
  chooseSeed();
  const removeTemplate = await createTemplate();
  const stopServer = await startTestServer();
  return async () => {
    removeTemplate();
    await stopServer();
  };
}
