import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** A file of the project, from dist/test/architecture/. */
const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The rows of a page's tables, without their heads. */
const rowsOf = (page: string): string[][] =>
  readFileSync(pathOf(page), 'utf8')
    .split('\n')
    .filter(
      (line, index, lines) =>
        line.startsWith('| ') && !line.startsWith('| ---') && !lines[index + 1]?.startsWith('| ---'),
    )
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );

/** The tests that a cell names. */
const testsIn = (cell: string) => [...cell.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => path ?? '');
const missingOf = (paths: string[]) => paths.filter((path) => !existsSync(pathOf(path)));

describe('the threat model', () => {
  const rows = rowsOf('.github/SECURITY.md');

  it('has the attackers that there are', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it.each(rows)('%s, %s: %s has a test', (_attacker, _goal, defence, tests = '') => {
    expect(defence).not.toBe('');
    expect(testsIn(tests).length).toBeGreaterThan(0);
    expect(missingOf(testsIn(tests))).toEqual([]);
  });
});

describe('the standards', () => {
  const rows = rowsOf('.github/SECURITY-STANDARDS.md');

  it('have ten risks of OWASP, and fourteen provisions of EN 303 645', () => {
    expect(rows).toHaveLength(10 + 14);
  });

  it.each(rows)('%s: %s has a test, or says that it is not here', (_line, how = '', tests = '') => {
    const named = testsIn(tests);
    expect(named.length > 0 || how.includes('**not here**')).toBe(true);
    expect(missingOf(named)).toEqual([]);
  });
});
