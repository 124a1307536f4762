/** Runs before the processes of the tests start. */
import { chooseSeed } from './seed.js';
import { createTemplate, hasTemplate } from './world/migrated-store.js';
import { startTestServer } from './world/postgres-databases.js';

/** The runner calls it for each of its projects, which share what the first call made. */
export async function setup(): Promise<() => Promise<void>> {
  if (hasTemplate()) return async () => {};
  chooseSeed();
  const removeTemplate = await createTemplate();
  const stopServer = await startTestServer();
  return async () => {
    removeTemplate();
    await stopServer();
  };
}
