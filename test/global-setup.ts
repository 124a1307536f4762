/** Runs once, before the processes of the tests start. */
import { createTemplate } from './sim/world/migrated-store.js';

export const setup = createTemplate;
