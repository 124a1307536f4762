import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.mjs';

/** The tests that count their runs by `test/depth.ts`, themselves or in their conformance suite, and those that are in no other tier. */
const tests = readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join('dist/test', name));
const countsRuns = (path) => /(\/depth|-conformance)\.js'/.test(readFileSync(path, 'utf8'));
const isDeepOnly = (path) => path.startsWith(join('dist', 'test', 'deep')) || path.endsWith('.deep.test.js');

// The deep tier: many more runs, kills and seeds of the same tests, and a clean clone. TEST_DEPTH reaches the tests' processes.
export default defineConfig(() => {
  const config = mergeConfig(usual, {
    test: { env: { TEST_DEPTH: process.env.TEST_DEPTH ?? 'deep' }, testTimeout: 1_800_000, hookTimeout: 300_000 },
  });
  config.test.include = tests.filter((path) => countsRuns(path) || isDeepOnly(path));
  config.test.exclude = ['node_modules/**'];
  config.test.reporters = ['./dist/test/slowest-files-reporter.js', 'default'];
  return config;
});
