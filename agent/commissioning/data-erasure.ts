/**
 * Erases what the gateway keeps: identity, configuration, queue, plates, pictures, quarantine, settings of cameras. A file is overwritten
 * before it is removed; a memory card writes elsewhere than before, and keeps the old blocks until it needs them, so that only whoever takes
 * the card apart may still find something.
 *
 * The mark on disk is what counts: before it nothing was erased, after it the next start finishes whatever a power cut interrupted.
 */
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../shared/logger.js';
import { findErasure, type Former, markErasure, removeHalfMark, unmarkErasure } from './erasure-mark.js';
import { type Identity, makeIdentity, openIdentity } from './identity.js';
import { syncDirectory } from './whole-file.js';

const CHUNK = Buffer.alloc(1024 * 1024);

/** Where the gateway keeps what it has. */
export interface DataPlace {
  dataDir: string;
  identityFile: string;
  /** Names of files and folders in it that are the program's, also with an ending after a dot or a dash. Others are left alone. */
  ownNames: readonly string[];
}

/** Orders the erasure: from now on it is done by `openDevice`, here or at the next start. @throws when the disk refuses */
export const orderErasure = ({ identityFile }: DataPlace, former: Former): void => markErasure(identityFile, former);

/**
 * Finishes an erasure that was ordered, and returns the identity of this device: a new one after an erasure. Nobody may have its database
 * open meanwhile.
 */
export async function openDevice(place: DataPlace, { logger }: { logger: Logger }): Promise<Identity> {
  const { identityFile } = place;
  removeHalfMark(identityFile);
  const former = findErasure(identityFile);
  if (former === null) return openIdentity(identityFile);
  logger.warn({ why: former.why }, 'what this device keeps is being erased');
  await eraseOwn(place, logger);
  const identity = makeIdentity(identityFile, former);
  unmarkErasure(identityFile);
  logger.warn({ why: former.why, uuid: identity.uuid }, 'everything was erased: this is a new, unclaimed gateway');
  return identity;
}

async function eraseOwn({ dataDir, ownNames }: DataPlace, logger: Logger): Promise<void> {
  const isOwn = (name: string) =>
    ownNames.some((own) => name === own || name.startsWith(`${own}.`) || name.startsWith(`${own}-`));
  // The identity goes first: without it the rest is of no use to whoever finds the card.
  const names = (await readdir(dataDir))
    .filter(isOwn)
    .sort((a, b) => Number(b.startsWith('identity')) - Number(a.startsWith('identity')));
  for (const name of names) await erase(join(dataDir, name), logger);
  syncDirectory(dataDir);
}

async function erase(path: string, logger: Logger): Promise<void> {
  const entry = await lstat(path);
  if (entry.isDirectory()) for (const name of await readdir(path)) await erase(join(path, name), logger);
  // A link is removed, and where it leads left alone.
  else if (entry.isFile()) await overwrite(path, entry.size, logger);
  await rm(path, { recursive: true, force: true });
}

/** On a disk that is full or worn out the file is at least removed. */
async function overwrite(path: string, bytes: number, logger: Logger): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      for (let at = 0; at < bytes; at += CHUNK.length)
        await file.write(CHUNK, 0, Math.min(CHUNK.length, bytes - at), at);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    logger.warn({ err: error, path }, 'a file could not be overwritten before it was removed');
  }
}
