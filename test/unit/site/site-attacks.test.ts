/** Site files that were made to be expensive, or to fill a terminal. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { SiteFileError } from '../../../cloud/doors/site-file/site-file-error.js';
import { readSiteText } from '../../../cloud/doors/site-file/site-file-text.js';
import { problemsOf } from './site-problems.js';
import { runs } from '../../depth.js';

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index));

describe('a site file', () => {
  it('with very many unknown keys is refused for the first of them, and says how many more there are', () => {
    // Whoever compares each key with all others does not come to an end here.
    const count = runs(30_000, 10);
    const text = `version: 1\n${list(count, (index) => `k${index}: 0\n`).join('')}`;
    const problems = problemsOf(text);
    expect(problems).toHaveLength(21);
    expect(problems[0]).toMatch(/^site\.yaml:2: k0: unknown key/);
    expect(problems[19]).toMatch(/^site\.yaml:21: k19: unknown key/);
    expect(problems[20]).toBe(`site.yaml: and ${count - 20} more`);
    expect(() => readSiteFile('site.yaml', text)).toThrow(expect.objectContaining({ count }));
  });

  it('with very many keys given twice is refused for the first of them', () => {
    const problems = problemsOf(`version: 1\n${'k: 0\n'.repeat(5_000)}`);
    expect(problems).toHaveLength(21);
    expect(problems.slice(0, 2)).toEqual([
      expect.stringMatching(/^site\.yaml:2: k: unknown key/),
      'site.yaml:3: the key k is given twice',
    ]);
  });

  it.each([33, 2_000, 100_000])('nested %d deep is refused in words, at its line', (depth) => {
    expect(problemsOf(`version: 1\na: ${'['.repeat(depth)}${']'.repeat(depth)}\n`)[0]).toBe(
      'site.yaml:2: is nested more than 32 deep',
    );
  });

  it('names some of the lots that may be meant, not all of them', () => {
    const lots = list(500, (index) => `      - {name: L${index}, timezone: UTC, zones: [{name: Z}]}\n`);
    const text = `version: 1\naccounts:\n  - name: A\n    lots:\n${lots.join('')}    groups: [{name: G, zones: [Z]}]\n`;
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/several lots have a zone Z: write L0\/Z or L1\/Z or L2\/Z, or another$/),
    ]);
  });

  it('with a long key, or one that would steer a terminal, is told in a short line', () => {
    const [long = '', steering = ''] = problemsOf(`version: 1\n? ${'x'.repeat(100_000)}\n: 0\n"a\\e[2J": 0\n`);
    expect(long.length).toBeLessThan(1_100);
    expect(steering).toMatch(/^site\.yaml:4: a\u{FFFD}\[2J: unknown key/u);
  });

  it('is refused by its size when it has 50 MB, in one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'site-'));
    const path = join(folder, 'site.yaml');
    writeFileSync(path, 'version: 1\n');
    truncateSync(path, 50 * 1024 * 1024);
    try {
      await expect(readSiteText(path)).rejects.toThrow(`${path}: cannot be read: it has more than 8388608 bytes`);
      await expect(readSiteText(path)).rejects.toThrow(SiteFileError);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
