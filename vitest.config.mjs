import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `gate` is `npm test`; the scripts of package.json name the others: `deep`, `long` (deep with all of its runs), `postgres`, `image`. */
const TIER = process.env.TEST_TIER || 'gate';
const ROOT = join('dist', 'test');
/** Those are in the deep tier only: kills, other programs, a browser, many runs. */
const DEEP = [`${ROOT}/deep/**`, `${ROOT}/**/*.deep.test.js`];
/** They change what a process has once (signals, environment, limits), or look at it: each file has a process of its own. */
const OWN_PROCESS = [`${ROOT}/own-process/**/*.test.js`];
/** They start cards in QEMU, minutes each. */
const IMAGE = `${ROOT}/image/**/*.test.js`;
const STORIES = [`${ROOT}/stories/**/*.test.js`];
/** In the gate these have the built programs, each a process; the world of the others is in the process of the test. */
const OF_PROGRAMS = ['plate', 'offline', 'claim'].map((name) => `${ROOT}/stories/${name}-story.test.js`);
/** They share a PostgreSQL server, or nothing. */
const OF_PROCESSES = `${ROOT}/stories/processes-story.test.js`;
/** The limits of tests with many runs. */
const LASTING = { testTimeout: 1_800_000, hookTimeout: 300_000 };
const ON_POSTGRES = { env: { TEST_DATABASE: 'postgres' } };

/** As many workers as compute at once; more would only take turns. */
const COMPUTING = availableParallelism();
/** They come after the others, one more at a time. */
const WAITING = { maxWorkers: COMPUTING + 1, sequence: { groupOrder: 1 } };

const project = (name, test) => ({ extends: true, test: { name, ...test } });

const gate = () => [
  // Modules are loaded once in each process; a test file lets go of what it started.
  project('shared', {
    isolate: false,
    include: [`${ROOT}/**/*.test.js`],
    exclude: [...DEEP, ...OWN_PROCESS, ...STORIES, IMAGE],
  }),
  project('own', { include: OWN_PROCESS, exclude: DEEP, ...WAITING }),
  project('stories', {
    isolate: false,
    include: STORIES,
    exclude: [...DEEP, ...OF_PROGRAMS, OF_PROCESSES],
    env: { WORLD: 'process' },
    ...WAITING,
  }),
  project('programs', { include: OF_PROGRAMS, ...WAITING }),
  project('postgres', { include: [`${ROOT}/stories/plate-story.test.js`], ...ON_POSTGRES, ...WAITING }),
];

/** The tests that count their runs by `test/depth.ts`, themselves or in their conformance suite, and those that are in no other tier. */
function deep() {
  const tests = existsSync(ROOT) ? readdirSync(ROOT, { recursive: true, encoding: 'utf8' }) : [];
  const isDeepOnly = (path) => path.startsWith(join(ROOT, 'deep')) || path.endsWith('.deep.test.js');
  const countsRuns = (path) => /(\/depth|-conformance)\.js'/.test(readFileSync(path, 'utf8'));
  const include = tests
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(ROOT, name))
    .filter((path) => isDeepOnly(path) || countsRuns(path));
  return project('deep', { include, ...LASTING });
}

/** What of the tests that have a database is tried on PostgreSQL: `test/database-tests.ts` finds them, and says which are in the deep tier. */
async function onPostgres(choose, more) {
  const tests = await import('./dist/test/database-tests.js');
  return project('postgres', { include: tests[choose](ROOT), ...ON_POSTGRES, ...more });
}

const TIERS = {
  gate,
  deep: async () => [
    deep(),
    project('programs', { include: STORIES, exclude: [...DEEP, ...OF_PROGRAMS, OF_PROCESSES] }),
    await onPostgres('deepDatabaseTests'),
  ],
  long: async () => [deep(), await onPostgres('allDatabaseTests', LASTING)],
  postgres: async () => [await onPostgres('allDatabaseTests')],
  image: () => [
    project('image', { include: [IMAGE], testTimeout: 3_600_000, hookTimeout: 1_800_000, fileParallelism: false }),
  ],
};
if (!(TIER in TIERS)) throw new Error(`TEST_TIER is "${TIER}": it must be one of ${Object.keys(TIERS).join(', ')}`);

// The tests run what ships: tsc compiles them beside the programs into dist/, so that worker threads, child
// processes and the tests themselves all use the same JavaScript.
export default defineConfig(async () => ({
  test: {
    globalSetup: ['dist/test/global-setup.js'],
    reporters: [
      ...(TIER === 'gate'
        ? ['./dist/test/contract/observed-events-reporter.js', './dist/test/contract/checked-answers-reporter.js']
        : []),
      'default',
      './dist/test/gate/outcome-reporter.js',
    ],
    // Conditions are waited for; the limit only ends a test that would hang.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // What is tested is compiled already: Node.js imports it as the programs do.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    maxWorkers: COMPUTING,
    execArgv: ['--max-old-space-size=640'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
    projects: await TIERS[TIER](),
  },
}));
