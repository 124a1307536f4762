import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { forbidden, listShipped, type LockedPackage, thirdPartyText } from '../../../scripts/licences/third-party.js';

/** A file of the project, from dist/test/unit/licences/. */
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

describe('what ships of others', () => {
  const shipped = (license: string | undefined, name = 'some-package') =>
    listShipped({
      '': {},
      [`node_modules/${name}`]: { version: '1.0.0', ...(license === undefined ? {} : { license }) },
    });

  it.each([
    undefined,
    'GPL-3.0-only',
    'AGPL-3.0-or-later',
    'LGPL-3.0-or-later',
    'SEE LICENSE IN file',
    'MIT AND GPL-2.0',
    'BUSL-1.1',
  ])('is refused under %s', (license) => expect(forbidden(shipped(license))).toHaveLength(1));

  it.each(['MIT', 'Apache-2.0', '(MIT OR GPL-3.0-only)', 'Apache-2.0 AND MIT'])('is allowed under %s', (license) =>
    expect(forbidden(shipped(license))).toEqual([]),
  );

  it('may be the LGPL library of sharp, which is a file of its own', () => {
    expect(forbidden(shipped('LGPL-3.0-or-later', '@img/sharp-libvips-linux-arm64'))).toEqual([]);
    expect(forbidden(shipped('Apache-2.0 AND LGPL-3.0-or-later', '@img/sharp-win32-x64'))).toEqual([]);
  });

  it('is not what only the build needs, but the viewer of /docs, whose code we serve', () => {
    const dev: LockedPackage = { version: '1.0.0', license: 'MIT', dev: true };
    const found = listShipped({ 'node_modules/vitest': dev, 'node_modules/@scalar/fastify-api-reference': dev });
    expect(found.map(({ name }) => name)).toEqual(['@scalar/fastify-api-reference']);
  });

  it('is listed in the file that ships with it, native parts for all machines too, and all of it is allowed', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const all = listShipped(packages);
    expect(forbidden(all)).toEqual([]);
    const text = read('dist/THIRD-PARTY-LICENCES.txt');
    for (const { name, version, licence } of all) expect(text).toContain(`${name} ${version} (${licence})\n`);
    expect(text).toContain('@img/sharp-libvips-linux-arm64');
    expect(text).toContain('Permission is hereby granted, free of charge');
  });

  it('shows a text once, for all that it is for', () => {
    const each = { version: '1', licence: 'MIT' };
    const packages = ['a', 'b', 'c'].map((name) => ({ name, folder: name, ...each }));
    const text = thirdPartyText(packages, ({ name }) => (name === 'c' ? '' : 'Do as you like.\n'));
    expect(text.match(/Do as you like/g)).toHaveLength(1);
    expect(text).toMatch(/\na 1 \(MIT\)\nb 1 \(MIT\)\n\nDo as you like/);
    expect(text).toMatch(/no text of their own[^=]*\nc 1 \(MIT\)\n$/);
  });
});
