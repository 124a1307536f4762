/** Writes what ships of others into dist/THIRD-PARTY-LICENCES.txt. Ends with 1 if something has terms that we must not ship, or none. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  forbidden,
  listShipped,
  type LockedPackage,
  type ShippedPackage,
  thirdPartyText,
} from './licences/third-party.js';

/** The project's root, from dist/scripts/. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEXT_NAME = /^(licen[cs]e|copying|notice|third-party)/i;
/** It names the libraries in it, and their licences, in its README. */
const LIBVIPS = /^@img\/sharp-libvips-/;

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const shipped = listShipped(lock.packages);
const bad = forbidden(shipped);
if (bad.length > 0) {
  for (const { name, version, licence } of bad) {
    console.error(
      `licences: ${name} ${version} is under ${licence}: replace it, or allow it in scripts/licences/third-party.ts`,
    );
  }
  process.exit(1);
}
writeFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENCES.txt'), thirdPartyText(shipped, textsIn));

function textsIn({ folder, name: packageName }: ShippedPackage): string {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return '';
  return readdirSync(path, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && (TEXT_NAME.test(entry.name) || (LIBVIPS.test(packageName) && entry.name === 'README.md')),
    )
    .map(({ name }) => readFileSync(join(path, name), 'utf8'))
    .join('\n\n');
}
