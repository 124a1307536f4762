import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Uid } from '../../shared/ids.js';
import type { ImageStore } from './image-store.js';

/**
 * Driver: images as files `<directory>/<last two hex digits of the uid>/<uid>.jpg`. The last digits of a uuid are random, while the
 * first may be a time.
 */
export function createFileImageStore(options: { directory: string }): ImageStore {
  const pathOf = (uid: Uid) => join(options.directory, uid.slice(-2), `${uid}.jpg`);

  return {
    async put(uid, jpeg) {
      const path = pathOf(uid);
      // The temporary name is unique, so that two writers of one uid never write into each other's file.
      const temporary = `${path}.${randomUUID()}.tmp`;
      try {
        const made = await mkdir(dirname(path), { recursive: true, mode: 0o750 });
        await writeDurably(temporary, jpeg);
        await rename(temporary, path);
        // A new name is on the disk only after its folder was synced.
        await syncFolder(dirname(path));
        if (made !== undefined) await syncFolder(options.directory);
      } catch (cause) {
        // An error here is ignored, because the first error is the one to report.
        await rm(temporary, { force: true }).catch(() => undefined);
        throw new Error(`Picture ${uid} could not be written to ${path}: is the disk full or not writable?`, { cause });
      }
    },

    async read(uid) {
      try {
        return await readFile(pathOf(uid));
      } catch (error) {
        if (isMissing(error)) return null;
        throw new Error(`Picture ${uid} could not be read from ${pathOf(uid)}`, { cause: error });
      }
    },

    async remove(uid) {
      try {
        await rm(pathOf(uid), { force: true });
      } catch (cause) {
        throw new Error(`Picture ${uid} could not be removed from ${pathOf(uid)}`, { cause });
      }
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o640);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
