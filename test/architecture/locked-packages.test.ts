import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** A file of the project, from dist/test/architecture/. */
const json = (path: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8'));

interface Locked {
  packages: Record<string, { version?: string; integrity?: string; link?: boolean }>;
}

describe('the packages that are installed', () => {
  const { packages } = json('package-lock.json') as Locked;
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);

  it('are those whose bytes are known', () => {
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
  });

  it('unpack archives by a tar that writes nowhere else: what is before version 7 is not mended', () => {
    const tars = installed.filter(([path]) => /(?:^|\/)node_modules\/tar$/.test(path));
    expect(tars.length).toBeGreaterThan(0);
    expect(tars.filter(([, { version = '' }]) => Number(version.split('.')[0]) < 7)).toEqual([]);
  });
});
