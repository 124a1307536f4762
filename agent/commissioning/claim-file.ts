/**
 * The claim file of a new device (`claim.json`): taken while it is unclaimed, and erased when the cloud has answered. It holds a code and perhaps
 * the password of a Wi-Fi, so nothing of it stays: its bytes are overwritten before it is removed. Where the program may not write (the boot
 * partition of a card), it leaves a note in its data directory, and the unit parking-claim-file erases the file.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { CLAIM_FILE_BYTES_MAX, type ClaimFile, parseClaimFile } from '../../shared/claim-file.js';
import { errorText } from '../../shared/error-text.js';
import { parseJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import { parseClaimText } from './claim-text-parser.js';
import { removeSynced, writeWhole } from './whole-file.js';

/** A file in the data directory that says what became of a claim file that has to be erased. */
export const CLAIM_NOTE_NAME = 'claim-file-note.json';
const REASON_LENGTH_MAX = 1_000;
const NOTE_BYTES_MAX = 16_384;

const noteSchema = z.object({
  /** The hash of the file: another one that was put in its place is not erased. */
  sha256: z.string(),
  /** Why the cloud refused it; null: it was taken, or was not answered yet. */
  refused: z.string().max(REASON_LENGTH_MAX).nullable(),
  /** The cloud has answered; until then it was only asked with this file. */
  is_answered: z.boolean().default(true),
});
type Note = z.infer<typeof noteSchema>;

export interface ClaimFileBytes {
  bytes: Buffer;
  sha256: string;
}

/** @returns null: there is none. @throws Error when it cannot be read, or is too large to be one */
export function readClaimFile(path: string): ClaimFileBytes | null {
  const content = readBounded(path, CLAIM_FILE_BYTES_MAX);
  if (content === null) return null;
  if (content[0] === 0) {
    finishErasing(path);
    return null;
  }
  return { bytes: content, sha256: createHash('sha256').update(content).digest('hex') };
}

/** The power went while its bytes were overwritten. */
function finishErasing(path: string): void {
  try {
    overwriteAndRemove(path);
  } catch {
    // The unit parking-claim-file erases it where the gateway may not write.
  }
}

export function readClaimNote(dataDir: string): Note | null {
  const content = readBounded(join(dataDir, CLAIM_NOTE_NAME), NOTE_BYTES_MAX);
  return content === null ? null : (noteSchema.safeParse(parseJson(content.toString('utf8'))).data ?? null);
}

/** Reads a file, never a pipe that waits, nor what a link leads to: root reads what others wrote. */
function readBounded(path: string, bytesMax: number): Buffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is no file');
    const bytes = Buffer.alloc(bytesMax + 1);
    const count = readSync(descriptor, bytes, 0, bytes.length, 0);
    if (count > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes: it is no claim file`);
    return bytes.subarray(0, count);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Overwrites and removes a claim file. One that was refused leaves `claim.refused.json` beside it: the reason, and what it said but its secrets.
 * @throws Error when the folder cannot be written
 */
export function eraseClaimFile(path: string, { refused }: Pick<Note, 'refused'>): void {
  if (refused !== null)
    writeFileSync(join(dirname(path), 'claim.refused.json'), refusedText(path, refused), { flush: true });
  overwriteAndRemove(path);
}

/** Its first byte goes first: no claim file begins with a zero, so that one whose erasure was cut off is known. */
function overwriteAndRemove(path: string): void {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(descriptor);
    for (const length of [1, Math.min(size, CLAIM_FILE_BYTES_MAX)]) {
      writeSync(descriptor, Buffer.alloc(length), 0, null, 0);
      fsyncSync(descriptor);
    }
  } finally {
    closeSync(descriptor);
  }
  removeSynced(path);
}

function refusedText(path: string, reason: string): string {
  const parsed = parseClaimFile(readClaimFile(path)?.bytes ?? '');
  const file = 'file' in parsed ? parsed.file : null;
  const { cloud_url, ssh_key } = file ?? {};
  const { password: _secret, ...wifi } = file?.network?.wifi ?? {};
  const network = file?.network && { ...file.network, ...(file.network.wifi && { wifi }) };
  return `${JSON.stringify({ refused: reason, cloud_url, network, ssh_key }, null, 2)}\n`;
}

export interface OpenedClaimFile {
  /** null: there is nothing to claim with. */
  readonly claim: { cloudUrl: string; code: string; ca?: string } | null;
  /** The fault of the file, for people; null: it has none. */
  readonly problem: string | null;
  /** The cloud has answered: the file is erased. @param refused its reason; null: the device is claimed */
  finish(refused: string | null): void;
}

const NOTHING: OpenedClaimFile = { claim: null, problem: null, finish: () => undefined };

/**
 * Reads the claim file at the start of the program. Whatever is wrong with it is logged and told by the status: the gateway starts all the same.
 * @param of.path null: none is read
 */
export function openClaimFile(
  of: { path: string | null; dataDir: string; isClaimed: boolean },
  { logger }: { logger: Logger },
): OpenedClaimFile {
  const { path, dataDir, isClaimed } = of;
  if (path === null) return NOTHING;
  const withProblem = (reason: string): OpenedClaimFile => {
    logger.error({ path, reason }, 'the claim file cannot be taken');
    return { ...NOTHING, problem: `${basename(path)}: ${reason}` };
  };
  let found: ClaimFileBytes | null;
  try {
    found = readClaimFile(path);
  } catch (error) {
    return withProblem(errorText(error));
  }
  if (found === null) return NOTHING;
  const { sha256, bytes } = found;
  const note = readClaimNote(dataDir);
  // The power went between the cloud's answer and the end of the file.
  if (note?.sha256 === sha256 && (note.is_answered || isClaimed)) {
    finishWith(note);
    return note.refused === null ? NOTHING : withProblem(`the cloud refused it: ${note.refused}`);
  }
  if (isClaimed) {
    logger.warn(
      { path },
      'a claim file lies there, and this gateway is claimed already: remove it, or erase the gateway first',
    );
    return NOTHING;
  }
  const parsed = parseClaimFile(bytes);
  if ('problem' in parsed) return withProblem(parsed.problem);
  // Once it is claimed, the note says by which file, whenever the power goes.
  const asked = { sha256, refused: null, is_answered: false };
  try {
    if (note?.sha256 !== sha256) keepNote(asked);
  } catch (error) {
    logger.warn({ reason: errorText(error) }, 'it cannot be noted that the claim file is used');
  }
  return { claim: claimOf(parsed.file), problem: null, finish: (refused) => finishWith({ ...asked, refused }) };

  function keepNote(kept: Note): void {
    writeWhole(join(dataDir, CLAIM_NOTE_NAME), JSON.stringify(kept));
  }

  /** The note comes first: a file whose code is used is not taken a second time. */
  function finishWith(whole: Note): void {
    const cut = { ...whole, is_answered: true, refused: whole.refused?.slice(0, REASON_LENGTH_MAX) ?? null };
    try {
      keepNote(cut);
      eraseClaimFile(path as string, cut);
      removeSynced(join(dataDir, CLAIM_NOTE_NAME));
      logger.info(
        { path },
        cut.refused === null ? 'the claim file was taken and erased' : 'the claim file was refused and erased',
      );
    } catch (error) {
      logger.warn({ path, reason: errorText(error) }, 'the claim file is left to parking-claim-file.service to erase');
    }
  }
}

function claimOf({ cloud_url, claim_code, ca }: ClaimFile) {
  const { code, cloudUrl } = parseClaimText(claim_code);
  return {
    cloudUrl: (cloudUrl ?? cloud_url).replace(/\/+$/, ''),
    code,
    ...(ca === undefined ? {} : { ca }),
  };
}
