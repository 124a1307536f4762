/** Some room on the disk that is given up when it is full, so that what is decided then is still recorded. */
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** About four thousand decisions. */
const BALLAST_BYTES = 4 * 1024 * 1024;
/** It is made only where so much is free. */
const FREE_BYTES_MIN = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

const ballastOf = (path: string): string => `${path}-ballast`;

/** Puts it beside a file, where there is room and it is not there yet. A disk that refuses has none. */
export function putBallast(path: string): void {
  const ballast = ballastOf(path);
  try {
    if ((statSync(ballast, { throwIfNoEntry: false })?.size ?? 0) >= BALLAST_BYTES) return;
    const { bavail, bsize } = statfsSync(dirname(path));
    if (bavail * bsize < FREE_BYTES_MIN) return;
    const descriptor = openSync(ballast, 'w', OWNER_ONLY);
    try {
      writeSync(descriptor, Buffer.alloc(BALLAST_BYTES));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    dropBallast(path);
  }
}

/** @returns whether there was room to give up */
export function dropBallast(path: string): boolean {
  const ballast = ballastOf(path);
  try {
    const found = statSync(ballast, { throwIfNoEntry: false });
    rmSync(ballast, { force: true });
    return (found?.size ?? 0) > 0;
  } catch {
    return false;
  }
}
