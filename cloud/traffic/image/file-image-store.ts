import { randomUUID } from 'node:crypto';
import type { link } from 'node:fs/promises';
import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Uid, uidSchema } from '../../../shared/ids.js';
import { foldersOf, ifThere } from './files.js';
import type { ImageStore } from './image-store.js';
import { createSharedBytes } from './shared-bytes.js';

/** How many pictures are listed at a time. */
const LISTED_MAX = 500;
/** The folder of the bytes that files share. The other folders are named by two hex digits. */
const BYTES_FOLDER = 'bytes';

/**
 * Driver: images as files `<directory>/<last two hex digits of the uid>/<uid>.jpg`, and `<uid>.thumbnail.jpg` beside it. The last
 * digits of a uuid are random, while the first may be a time. Files with equal bytes are hard links to one.
 */
export function createFileImageStore(options: { directory: string; makeLink?: typeof link }): ImageStore {
  const { directory } = options;
  const bytes = createSharedBytes({ ...options, directory: join(directory, BYTES_FOLDER) });
  const pathOf = (uid: Uid) => join(directory, uid.slice(-2), `${uid}.jpg`);
  const thumbnailPathOf = (uid: Uid) => join(directory, uid.slice(-2), `${uid}.thumbnail.jpg`);

  async function place(path: string, jpeg: Uint8Array): Promise<void> {
    // The temporary name is unique, so that two writers of one uid never write into each other's file.
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await bytes.write(temporary, jpeg);
      await rename(temporary, path);
    } finally {
      // The temporary name stays if it was moved onto a link to the same file. An error here would hide the first error.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  return {
    async put(uid, { jpeg, thumbnail }) {
      const path = pathOf(uid);
      try {
        const made = await mkdir(dirname(path), { recursive: true, mode: 0o750 });
        if (thumbnail !== null) await place(thumbnailPathOf(uid), thumbnail);
        await place(path, jpeg);
        // A new name is on the disk only after its folder was synced.
        await syncFolder(dirname(path));
        if (made !== undefined) await syncFolder(directory);
      } catch (cause) {
        throw new Error(`Picture ${uid} could not be written to ${path}: is the disk full or not writable?`, { cause });
      }
    },

    read: (uid) => readOne(uid, pathOf(uid)),
    readThumbnail: (uid) => readOne(uid, thumbnailPathOf(uid)),

    async remove(uid, condition) {
      try {
        for (const path of [pathOf(uid), thumbnailPathOf(uid)]) {
          if (condition !== undefined && (await writtenAt(path)) >= condition.writtenBefore) continue;
          await bytes.remove(path);
        }
      } catch (cause) {
        throw new Error(`Picture ${uid} could not be removed from ${pathOf(uid)}`, { cause });
      }
    },

    async *writtenBefore(before) {
      for (const folder of await foldersOf(directory)) {
        if (folder === BYTES_FOLDER) continue;
        let uids: Uid[] = [];
        for await (const { name } of await opendir(join(directory, folder))) {
          const path = join(directory, folder, name);
          if ((await writtenAt(path)) >= before) continue;
          const uid = uidSchema.safeParse(name.replace(/(\.thumbnail)?\.jpg$/, ''));
          if (uid.success) uids.push(uid.data);
          // A cloud that dies while it writes leaves its temporary file.
          else if (name.endsWith('.tmp')) await bytes.remove(path);
          if (uids.length < LISTED_MAX) continue;
          yield uids;
          uids = [];
        }
        if (uids.length > 0) yield uids;
      }
      await bytes.removeUnused(before);
    },
  };
}

async function readOne(uid: Uid, path: string): Promise<Uint8Array | null> {
  try {
    return await ifThere(readFile(path));
  } catch (cause) {
    throw new Error(`Picture ${uid} could not be read from ${path}`, { cause });
  }
}

/** Wall milliseconds; a file that is gone counts as just written. */
async function writtenAt(path: string): Promise<number> {
  return (await ifThere(stat(path)))?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
