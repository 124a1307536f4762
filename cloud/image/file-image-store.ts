import { randomUUID } from 'node:crypto';
import { mkdir, open, opendir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Uid, uidSchema } from '../../shared/ids.js';
import type { ImageStore } from './image-store.js';

/** How many pictures are listed at a time. */
const LISTED_MAX = 500;

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

    async remove(uid, condition) {
      try {
        if (condition !== undefined && (await writtenAt(pathOf(uid))) >= condition.writtenBefore) return;
        await rm(pathOf(uid), { force: true });
      } catch (cause) {
        throw new Error(`Picture ${uid} could not be removed from ${pathOf(uid)}`, { cause });
      }
    },

    async *writtenBefore(before) {
      for (const folder of await foldersOf(options.directory)) {
        let uids: Uid[] = [];
        for await (const { name } of await opendir(join(options.directory, folder))) {
          const path = join(options.directory, folder, name);
          if ((await writtenAt(path)) >= before) continue;
          const uid = uidSchema.safeParse(name.replace(/\.jpg$/, ''));
          if (uid.success) uids.push(uid.data);
          // A cloud that dies while it writes leaves its temporary file.
          else if (name.endsWith('.tmp')) await rm(path, { force: true });
          if (uids.length < LISTED_MAX) continue;
          yield uids;
          uids = [];
        }
        if (uids.length > 0) yield uids;
      }
    },
  };
}

/** The folders of pictures; none before the first picture. */
async function foldersOf(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Wall milliseconds; a file that is gone counts as just written. */
async function writtenAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
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
