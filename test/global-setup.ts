/** Runs once, before the processes of the tests start. */
import { createTemplate } from './sim/world/migrated-store.js';
import { startTestServer } from './sim/world/postgres-databases.js';

export async function setup(): Promise<() => Promise<void>> {
  const removeTemplate = await createTemplate();
  const stopServer = await startTestServer();
  return async () => {
    removeTemplate();
    await stopServer();
  };
}
