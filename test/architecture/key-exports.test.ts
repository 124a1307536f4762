import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['agent', 'cloud', 'shared', 'scripts', 'test'];

it('no key is written as a JWK, which makes Node.js 20 wait for ever when a generated one is just collected', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  );
  expect(files.length).toBeGreaterThan(1_000);
  const written = files.filter((path) => /\.export\(\s*\{[^}]*'jwk'/.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(written).toEqual([]);
});
