import { expect, it } from 'vitest';
import { timeReport } from '../../gate/time-report.js';

const file = (path: string, seconds: number) => ({
  project: 'shared',
  file: `dist/test/${path}.test.js`,
  seconds,
  passed: 3,
  failures: [],
  skips: [],
});

it('adds files up by the longest folder that the budget names, and marks what is over', () => {
  const files = [file('integration/lpr/push', 7), file('integration/lpr/images', 4), file('unit/money/money', 1)];
  const [, lpr, unit] = timeReport(files, { 'integration/lpr': 10, integration: 5 });
  expect(lpr).toMatch(/^ +11 +10 +6 {2}integration\/lpr {2}over$/);
  expect(unit).toMatch(/^ +1 +- +3 {2}unit$/);
});

it('shows the slowest first, ten at most', () => {
  const files = Array.from({ length: 15 }, (_, index) => file(`unit/part-${index}`, index));
  const lines = timeReport(files, {});
  const slowest = lines.slice(lines.findIndex((line) => line.startsWith('The slowest')) + 1);
  expect(slowest).toHaveLength(10);
  expect(slowest[0]).toBe('    14  dist/test/unit/part-14.test.js (shared)');
});
