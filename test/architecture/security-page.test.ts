import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** A file of the project, from dist/test/architecture/. */
const pathOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

describe('the threat model', () => {
  const page = readFileSync(pathOf('.github/SECURITY.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    // The head, and the line below it.
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );

  it('has the attackers that there are', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it.each(rows)('%s, %s: %s has a test', (_attacker, _goal, defence, tests = '') => {
    expect(defence).not.toBe('');
    const named = [...tests.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => path ?? '');
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(pathOf(path)))).toEqual([]);
  });
});
