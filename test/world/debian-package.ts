/** Debian 13 as a folder, and the gateway's package for it. It needs root, Debian's tools and a network for what is not kept yet. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const VERSIONS = ['0.1.0', '0.2.0'];

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** @param programs that a test needs beside those that make the package */
export const canMakePackages = (...programs: string[]): boolean =>
  process.getuid?.() === 0 && ['mmdebstrap', 'dpkg-deb', 'unshare', 'g++', ...programs].every(has);

/** The same agent as two versions, 0.1.0 and 0.2.0. */
export const packageOf = (version: string): string => `parking-agent_${version}_amd64.deb`;

/** @returns the card's root file system for a PC, as a tar file, kept where scripts/image/build keeps it */
function rootArchive(): string {
  const image = join(PROJECT, 'scripts/image');
  const parts = ['packages', 'make-root'].map((name) => readFileSync(join(image, name)));
  const key = createHash('sha256').update(Buffer.concat(parts)).digest('hex').slice(0, 16);
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'parking-image');
  const path = join(cache, `root-amd64-${key}.tar`);
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    execFileSync(join(image, 'make-root'), ['amd64', `${path}.new`], { stdio: 'pipe' });
    renameSync(`${path}.new`, path);
  }
  return path;
}

/** Makes a package into a folder. */
export function buildPackage(version: string, out: string): void {
  const options = ['--arch', 'amd64', '--out', out, '--version', version];
  execFileSync(join(PROJECT, 'scripts/deb/build'), options, { stdio: 'pipe' });
}

/** Makes a root with both packages in its /srv. @returns its folder, in `directory` */
export function makeDebianRoot(directory: string): string {
  const root = join(directory, 'root');
  mkdirSync(root);
  execFileSync('tar', ['-xf', rootArchive(), '-C', root, '--numeric-owner']);
  // The package has the agent as it ships: in one file.
  execFileSync(process.execPath, ['scripts/bundle-agent.mjs'], { cwd: PROJECT });
  for (const version of VERSIONS) {
    buildPackage(version, directory);
    copyFileSync(join(directory, packageOf(version)), join(root, 'srv', packageOf(version)));
  }
  return root;
}
