/** Files that are there whole or not at all, whatever the power does. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

/** Reads such a file; null: there is none. @throws Error, caused by the one of the system, when it cannot be looked at */
export function readWhole(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read: run the agent as the user whose file it is`, { cause: error });
  }
}

/** A file that was restored from a backup may be readable for everybody. */
export function closeToOthers(path: string): void {
  if ((statSync(path).mode & ~OWNER_ONLY & 0o777) === 0) return;
  try {
    chmodSync(path, OWNER_ONLY);
  } catch {
    // On a disk that turned read-only the rights remain as they are: a gateway that does not start would be worse.
  }
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
