/** The files of releases, by their hash, under DATA_DIR/releases. Several cloud processes share that folder, as they share pictures. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface ReleaseFiles {
  /** Copies a file into the folder, synced; harmless when it is there already. */
  keep(sha256: string, path: string): Promise<void>;
  /** @returns where the file is, and its size; null: it is not here */
  find(sha256: string): Promise<{ path: string; bytes: number } | null>;
  remove(sha256: string): Promise<void>;
}

export function createReleaseFiles(directory: string): ReleaseFiles {
  const pathOf = (sha256: string) => join(directory, `${sha256}.raucb`);
  return {
    async keep(sha256, path) {
      await mkdir(directory, { recursive: true });
      const half = `${pathOf(sha256)}.new`;
      try {
        await pipeline(createReadStream(path), createWriteStream(half, { flush: true }));
        await rename(half, pathOf(sha256));
      } catch (error) {
        await rm(half, { force: true });
        throw error;
      }
    },
    async find(sha256) {
      const found = await stat(pathOf(sha256)).catch(() => null);
      return found?.isFile() ? { path: pathOf(sha256), bytes: found.size } : null;
    },
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
  };
}
