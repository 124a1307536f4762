import { describe, expect, it } from 'vitest';
import { type FileOutcome, FLAKY_FILES_MAX, judge, type Outcome } from '../../gate/outcome.js';

const file = (name: string, parts: Partial<FileOutcome> = {}): FileOutcome => ({
  project: 'shared',
  file: `dist/test/${name}.test.js`,
  seconds: 1,
  passed: 2,
  failures: [],
  skips: [],
  ...parts,
});
const failing = (name: string): FileOutcome =>
  file(name, { passed: 1, failures: [{ test: 'does it', message: 'expected 1 to be 2' }] });
const run = (files: FileOutcome[], faults: string[] = []): Outcome => ({ files, faults });
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `file-${index}`);

describe('the gate', () => {
  it('is green when everything passed, and counts what was skipped apart', () => {
    const skips = [{ test: 'needs a radio', message: 'no radio here' }];
    expect(judge(run([file('a'), file('b', { skips })]), null)).toEqual({
      isGreen: true,
      passed: 4,
      failed: 0,
      skipped: 1,
      flaky: [],
      flakyFiles: 0,
    });
  });

  it('names what failed and passed alone, and stays green', () => {
    expect(judge(run([file('a'), failing('b')]), run([file('b')]))).toMatchObject({
      isGreen: true,
      passed: 4,
      failed: 0,
      flaky: ['dist/test/b.test.js > does it: expected 1 to be 2'],
    });
  });

  it('bears three such files, and no fourth', () => {
    for (const count of [FLAKY_FILES_MAX, FLAKY_FILES_MAX + 1]) {
      const verdict = judge(run(names(count).map(failing)), run(names(count).map((name) => file(name))));
      expect(verdict).toMatchObject({ flakyFiles: count, isGreen: count <= FLAKY_FILES_MAX });
    }
  });

  it.each([
    ['what fails twice', run([failing('a')]), run([failing('a')])],
    ['what fails and is not run again', run([failing('a')]), null],
    ['what passes alone because nothing of it ran', run([failing('a')]), run([file('a', { passed: 0 })])],
    [
      'a failure of another project, though it passed in this one',
      run([failing('a')]),
      run([file('a', { project: 'own' })]),
    ],
    ['an error outside of the tests', run([file('a')], ['outside of a test: boom']), null],
    ['such an error in the second run', run([file('a'), failing('b')]), run([file('b')], ['boom'])],
    ['a run without a test', run([]), null],
  ])('is red for %s', (_what, first, second) => {
    expect(judge(first, second).isGreen).toBe(false);
  });
});
