import { defineConfig } from 'vitest/config';

// The tests run what ships: tsc compiles them beside the programs into dist/, so that worker threads, child
// processes and the tests themselves all use the same JavaScript.
export default defineConfig({
  test: {
    include: ['dist/test/**/*.test.js'],
    globalSetup: ['dist/test/global-setup.js'],
    // Those are in the deep tier only: kills, other programs, a browser, many runs.
    exclude: ['node_modules/**', 'dist/test/deep/**', 'dist/test/**/*.deep.test.js'],
    reporters: [
      './dist/test/contract/observed-events-reporter.js',
      './dist/test/contract/checked-answers-reporter.js',
      './dist/test/slowest-files-reporter.js',
      'default',
    ],
    // Conditions are waited for; the limit only ends a test that would hang.
    expect: { poll: { timeout: 30_000, interval: 20 } },
    // What is tested is compiled already: Node.js imports it as the programs do.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
  },
});
