/**
 * Erases what the gateway keeps: identity, configuration, queue, plates, pictures, quarantine, settings of cameras. A file is overwritten
 * before it is removed; a memory card writes elsewhere than before, and keeps the old blocks until it needs them, so that only whoever takes
 * the card apart may still find something.
 *
 * The mark on disk is what counts: before it nothing was erased, after it the next start finishes whatever a power cut interrupted.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { STANDINGS_ENDED, type StandingEnded } from '../../shared/gateway-standing.js';
import { parseJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import { type Former, type Identity, openIdentity, syncDirectory, writeWhole } from './identity.js';

const CHUNK = Buffer.alloc(1024 * 1024);

const markSchema = z.object({ why: z.enum(STANDINGS_ENDED), at_ms: z.number() });

/** Where the gateway keeps what it has. */
export interface DataPlace {
  dataDir: string;
  identityFile: string;
  /** Names of files and folders in it that are the program's, also with an ending after a dot or a dash. Others are left alone. */
  ownNames: readonly string[];
}

const markOf = ({ dataDir }: DataPlace): string => join(dataDir, 'erasing.json');

/** Orders the erasure: from now on it is done by `openDevice`, here or at the next start. */
export function orderErasure(place: DataPlace, former: { why: StandingEnded; at_ms: number }): void {
  writeWhole(markOf(place), `${JSON.stringify(former)}\n`);
}

/**
 * Finishes an erasure that was ordered, and returns the identity of this device: a new one after an erasure. Nobody may have its database
 * open meanwhile.
 */
export async function openDevice(place: DataPlace, { logger }: { logger: Logger }): Promise<Identity> {
  const former = readMark(markOf(place));
  if (former === null) return openIdentity(place.identityFile);
  logger.warn({ why: former.why }, 'what this device keeps is being erased');
  await eraseOwn(place, logger);
  const identity = openIdentity(place.identityFile, former);
  rmSync(markOf(place));
  syncDirectory(place.dataDir);
  logger.warn({ why: former.why, uuid: identity.uuid }, 'everything was erased: this is a new, unclaimed gateway');
  return identity;
}

/** A mark that cannot be read was written whole by nobody else: it counts. */
function readMark(path: string): Former | null {
  if (!existsSync(path)) return null;
  const mark = markSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  return mark.success ? mark.data : { why: 'reset', at_ms: 0 };
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
