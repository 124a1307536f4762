/**
 * Keeps equal bytes of files on the disk once: each file is a hard link to `<directory>/<first two hex digits>/<SHA-256>.jpg`. The file
 * system counts the links, atomically and for all processes that share the folder: it frees the bytes with their last name, and a name
 * never lacks its bytes. A file system without hard links keeps a copy for each name.
 */
import { createHash } from 'node:crypto';
import { link, mkdir, open, opendir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foldersOf, hasCode, ifThere } from './files.js';

export interface SharedBytes {
  /** Makes the new file `path` with these bytes, durable but for its name. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Removes the file `path`, and its bytes when no other file has them; harmless when it is not there. */
  remove(path: string): Promise<void>;
  /** Removes bytes that no file has, because a process died between two steps. @param before wall milliseconds: newer bytes stay */
  removeUnused(before: number): Promise<void>;
}

/** Errors of a file system that cannot link at all, not these two files, or no further time (ext4 allows 65,000 links of a file). */
const NO_LINK = ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'];

/** @param options.makeLink `link` of the file system, which a test may take away */
export function createSharedBytes(options: { directory: string; makeLink?: typeof link }): SharedBytes {
  const { directory, makeLink = link } = options;

  const pathOf = (bytes: Uint8Array): string => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    return join(directory, digest.slice(0, 2), `${digest}.jpg`);
  };

  /** Gives new bytes their shared name, by which the next file with them finds them. Without it that file is a copy. */
  async function nameBytes(path: string, shared: string): Promise<void> {
    try {
      await mkdir(dirname(shared), { recursive: true, mode: 0o750 });
      await makeLink(path, shared);
    } catch (error) {
      // Another process may have named the same bytes at this moment.
      if (!hasCode(error, ['EEXIST', ...NO_LINK])) throw error;
    }
  }

  /** Writes under way, by hash. Of several requests for the same bytes at once the first one writes them. */
  const writing = new Map<string, Promise<void>>();

  async function writeOne(path: string, { bytes, shared }: { bytes: Uint8Array; shared: string }): Promise<void> {
    try {
      await makeLink(shared, path);
      // All names of a file share one time. It is set to now, so that a sweep of unnamed files spares this new name.
      await utimes(path, new Date(), new Date());
    } catch (error) {
      if (!hasCode(error, ['ENOENT', ...NO_LINK])) throw error;
      if (hasCode(error, ['EMLINK'])) await rm(shared, { force: true });
      await writeDurably(path, bytes);
      await nameBytes(path, shared);
    }
  }

  return {
    async write(path, bytes) {
      const shared = pathOf(bytes);
      const before = writing.get(shared) ?? Promise.resolve();
      const own = before.catch(() => undefined).then(() => writeOne(path, { bytes, shared }));
      writing.set(shared, own);
      try {
        await own;
      } finally {
        if (writing.get(shared) === own) writing.delete(shared);
      }
    },

    async remove(path) {
      const file = await ifThere(open(path));
      if (file === null) return;
      try {
        const shared = (await file.stat()).nlink > 1 ? pathOf(await file.readFile()) : null;
        await rm(path, { force: true });
        // A file that another process links at this moment keeps its bytes; only their shared name is lost.
        if (shared !== null && (await file.stat()).nlink === 1) await rm(shared, { force: true });
      } finally {
        await file.close();
      }
    },

    removeUnused: (before) => removeUnnamed(directory, before),
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

async function removeUnnamed(directory: string, before: number): Promise<void> {
  for (const folder of await foldersOf(directory)) {
    for await (const { name } of await opendir(join(directory, folder))) {
      const path = join(directory, folder, name);
      const found = await ifThere(stat(path));
      if (found !== null && found.nlink === 1 && found.mtimeMs < before) await rm(path, { force: true });
    }
  }
}
