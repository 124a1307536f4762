import { mergeConfig } from 'vitest/config';
import usual from './vitest.config.mjs';

/** The same tests, with each database on a PostgreSQL server of the run's own. */
const config = mergeConfig(usual, { test: { env: { TEST_DATABASE: 'postgres' } } });
config.test.reporters = ['default'];
// The set-up, which starts the server, runs outside of the tests' processes.
process.env.TEST_DATABASE = 'postgres';

export default config;
