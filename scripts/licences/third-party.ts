/**
 * The software of others that ships, with its terms. A checker of installed packages would miss the parts for other
 * machines, which npm does not install here, and the code of a build tool that our files contain. Pure.
 */

/** An entry of package-lock.json (`packages`), by its folder. */
export interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
}

export interface ShippedPackage {
  name: string;
  version: string;
  licence: string;
  /** Where it lies if it is installed: `node_modules/...`. */
  folder: string;
}

/** Needed for the build alone, but their code is in our files: the viewer of `/docs`, and what the console is made of. */
const BUNDLED = new Set([
  '@scalar/fastify-api-reference',
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'uplot',
]);

const FREE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
]);
/** libvips, the native part of sharp: a library of its own beside our files, which anybody may replace. */
const REPLACEABLE = { licence: 'LGPL-3.0-or-later', packages: /^@img\/sharp-/ };

export function listShipped(locked: Readonly<Record<string, LockedPackage>>): ShippedPackage[] {
  return Object.entries(locked)
    .map(([folder, entry]) => ({ folder, entry, name: folder.split('node_modules/').at(-1) ?? '' }))
    .filter(({ folder, entry, name }) => folder !== '' && ((!entry.dev && !entry.devOptional) || BUNDLED.has(name)))
    .map(({ folder, entry, name }) => ({
      folder,
      name,
      version: entry.version ?? '',
      licence: entry.license ?? 'none',
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The packages whose terms do not allow it, or are not known. */
export function forbidden(shipped: readonly ShippedPackage[]): ShippedPackage[] {
  return shipped.filter(({ name, licence }) => !isAllowed(licence, name));
}

/** @param licence an SPDX expression of licences with AND or OR between them */
function isAllowed(licence: string, name: string): boolean {
  const words = licence.replace(/^\((.*)\)$/, '$1');
  if (words.includes('(')) return false;
  if (words.includes(' OR ')) return words.split(' OR ').some((each) => isAllowed(each, name));
  return words
    .split(' AND ')
    .every((each) => FREE.has(each) || (each === REPLACEABLE.licence && REPLACEABLE.packages.test(name)));
}

/** @param textOf the texts that came with a package: its licence and notices; empty if it is not installed here */
export function thirdPartyText(shipped: readonly ShippedPackage[], textOf: (each: ShippedPackage) => string): string {
  const byText = new Map<string, ShippedPackage[]>();
  for (const each of shipped) {
    const text = textOf(each).trim();
    byText.set(text, [...(byText.get(text) ?? []), each]);
  }
  const withoutText = byText.get('') ?? [];
  byText.delete('');
  const line = ({ name, version, licence }: ShippedPackage) => `${name} ${version} (${licence})`;
  return [
    HEAD,
    ...shipped.map(line),
    ...[...byText].flatMap(([text, packages]) => [RULE, ...packages.map(line), '', text]),
    ...(withoutText.length === 0 ? [] : [RULE, WITHOUT_TEXT, ...withoutText.map(line)]),
    '',
  ].join('\n');
}

const RULE = `\n${'='.repeat(80)}`;
const WITHOUT_TEXT =
  'Packages that bring no text of their own, or are for other machines than the one that wrote this file:';
const HEAD = `What ships with the parking gateway and belongs to others. Each package is under its own licence, whose text follows.

sharp makes pictures small with libvips (@img/sharp-libvips-...), a shared library under the GNU Lesser General Public License, version 3 or
later (https://www.gnu.org/licenses/lgpl-3.0.html). It lies in node_modules as a file of its own, unchanged, and may be replaced by another
build of it. Its sources: https://github.com/libvips/libvips, and how it was built: https://github.com/lovell/sharp-libvips.
`;
