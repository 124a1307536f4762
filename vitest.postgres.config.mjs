import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { databaseTests } from './dist/test/database-tests.js';
import usual from './vitest.config.mjs';

/** Of the tests that are in the deep tier only: those in which something dies, or moves on, with what its database holds. */
const DEEP = ['agent-killed', 'cloud-program', 'fleet', 'mail-kill', 'release-kill', 'webhook-kill'];
/** The plans and backups of SQLite, and what tries both databases already. */
const ALIKE = ['session/session-plans', 'list/list-plans', 'cli/backup', 'cli/move.deep', 'cli/database-url.deep'];
const isOneOf = (names, path) => names.some((name) => path.endsWith(join('/', `${name}.test.js`)));
const isLeftOut = (path) =>
  isOneOf(ALIKE, path) || (path.startsWith(join('dist', 'test', 'deep')) && !isOneOf(DEEP, path));

/** The tests that have a database, each on a PostgreSQL server of the run's own. */
const config = mergeConfig(usual, { test: { env: { TEST_DATABASE: 'postgres' } } });
config.test.include = databaseTests(join('dist', 'test')).filter((path) => !isLeftOut(path));
config.test.exclude = ['node_modules/**'];
config.test.reporters = ['./dist/test/slowest-files-reporter.js', 'default'];
// The set-up, which starts the server, runs outside of the tests' processes.
process.env.TEST_DATABASE = 'postgres';

export default config;
