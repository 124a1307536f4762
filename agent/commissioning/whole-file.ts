/** Files that are there whole or not at all, whatever the power does. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;
const OWNERS_FOLDER = 0o700;

const halfOf = (path: string): string => `${path}.new`;

/** Writes a file whole or not at all, also through a power cut; only its owner can read it. @throws when the disk refuses: it is as it was */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNERS_FOLDER });
  writeFileSync(halfOf(path), text, { mode: OWNER_ONLY, flush: true });
  renameSync(halfOf(path), path);
  syncDirectory(dirname(path));
}

/** Removes what a power cut left of a file that was being written. */
export function removeHalf(path: string): void {
  try {
    rmSync(halfOf(path), { force: true });
  } catch {
    // On a disk that turned read-only it stays: a gateway that does not start would be worse.
  }
}

/** Removes a file, also through a power cut. */
export function removeSynced(path: string): void {
  rmSync(path, { force: true });
  syncDirectory(dirname(path));
}

/** Syncs the names in a folder: a power cut must not bring back what was there before a file was renamed or removed. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
