import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { changesOf, readLines, type Sizes, sizesOf, tooLong } from './size.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const WRITTEN = join(ROOT, 'test/architecture/size.json');
const COMMAND = 'npx vitest run dist/test/architecture/size.test.js -u';

const written = JSON.parse(readFileSync(WRITTEN, 'utf8')) as Sizes;
const files = readLines(ROOT, ['agent', 'cloud', 'shared', 'scripts', 'test']);

describe('the size of the house', () => {
  it('is written in size.json: what grows says so in its commit, and what shrinks does not grow back', async () => {
    const sizes = sizesOf(files, written);
    const changes = [...changesOf(written.rooms, sizes.rooms), ...changesOf(written.longFiles, sizes.longFiles)];
    const message = `${changes.join('\n')}\nWrite it down with \`${COMMAND}\`. The commit says why a room grew.`;
    await expect(`${JSON.stringify(sizes, null, 2)}\n`, message).toMatchFileSnapshot(WRITTEN);
  });

  it('is no more than 300 lines for a file, or what size.json allows it; a file that was moved keeps its figure', () => {
    expect(tooLong(files, written)).toEqual([]);
  });
});

describe('a figure', () => {
  const of = (lines: number, most = lines): Sizes => ({
    rooms: { 'agent/lpr': lines },
    longFiles: { 'agent/lpr/x.ts': most },
  });

  it.each([
    ['stays while a room is within 20 lines of it', 400, 420, 400],
    ['follows a room that grew', 400, 421, 421],
    ['follows a room that shrank', 400, 379, 379],
    ['stays while a large room is within 1 % of it', 5000, 5050, 5000],
    ['follows a large room beyond that', 5000, 5051, 5051],
  ])('%s', (_, before, now, next) => {
    expect(sizesOf({ 'agent/lpr/x.ts': now }, of(before)).rooms).toEqual({ 'agent/lpr': next });
  });

  it.each([
    ['never rises', 400, 500, { 'agent/lpr/x.ts': 400 }],
    ['falls', 400, 350, { 'agent/lpr/x.ts': 350 }],
    ['goes with the 301st line', 302, 300, {}],
  ])('%s for a long file', (_, before, now, next) => {
    expect(sizesOf({ 'agent/lpr/x.ts': now }, of(before)).longFiles).toEqual(next);
  });

  it('is of the room of a program, and of a top folder elsewhere', () => {
    const paths = ['agent/main.ts', 'cloud/traffic/entry.ts', 'cloud/traffic/session/a.ts', 'test/unit/a/b.ts'];
    const lines = Object.fromEntries(paths.map((path) => [path, 30]));
    expect(sizesOf(lines, of(0)).rooms).toEqual({
      agent: 30,
      'cloud/traffic': 30,
      'cloud/traffic/session': 30,
      'test/unit': 30,
    });
  });
});
