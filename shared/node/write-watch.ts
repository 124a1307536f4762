/**
 * Knows whether the disk accepts what a store writes. A disk that is full or became read-only is reported at once, not only with the next
 * vehicle. The report ends as soon as a write succeeds again. While writes succeed, this module writes nothing itself, because that would
 * wear out a memory card.
 */
import { accessSync, constants, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { type Clock, every, type Timer } from '../clock.js';
import type { Logger } from '../logger.js';
import { readOnlyMount } from '../mount-table-parser.js';
import { errorText } from '../error-text.js';

const LOOK_EVERY_MS = 2_000;
/** A disk with less free space counts as full: more than the room that a gateway gives up then. */
const ROOM_BYTES_MIN = 8 * 1024 * 1024;
const MOUNTS = '/proc/self/mountinfo';

export interface WriteWatch {
  /** Call it after a successful write. */
  noteWritten(): void;
  /** Call it after a failed write. */
  noteRefused(reason: string): void;
  /** Why writes fail, in words for the operator; null: no failure is known. */
  refusal(): string | null;
  start(): void;
  close(): void;
}

/**
 * @param deps.path the file of the store
 * @param deps.probe makes a write that changes nothing. The store notes its outcome as for any write. Called only while the disk refuses
 * writes
 * @param look returns what is visibly wrong with the disk without writing; null: nothing. It may throw
 */
export function createWriteWatch(
  deps: { path: string; clock: Clock; logger: Logger; probe: () => Promise<unknown> },
  look: (path: string) => string | null = lookAtDisk,
): WriteWatch {
  const { path, clock, logger, probe } = deps;
  let seen: string | null = null;
  let warned: string | null = null;
  let looking: Timer | null = null;
  let isProbing = false;
  const refusal = () => seen ?? warned;

  function note(next: { seen?: string | null; warned?: string | null }): void {
    const before = refusal();
    if (next.seen !== undefined) seen = next.seen;
    if (next.warned !== undefined) warned = next.warned;
    const reason = refusal();
    if (reason !== null && before === null) logger.error({ path, reason }, 'the disk refuses to write');
    if (reason === null && before !== null) logger.warn({ path }, 'the disk accepts writes again');
  }

  function lookOnce(): void {
    try {
      note({ seen: look(path) });
    } catch (error) {
      note({ seen: errorText(error) });
    }
    // A fault that is visible needs no write to show it.
    if (warned === null || seen !== null || isProbing) return;
    isProbing = true;
    void probe()
      .catch(() => {})
      .finally(() => {
        isProbing = false;
      });
  }

  return {
    noteWritten: () => note({ warned: null }),
    noteRefused: (reason) => note({ warned: reason }),
    refusal: () => (refusal() === null ? null : `the disk refuses to write (${refusal()}): look at the card`),
    start() {
      const onError = (error: unknown) =>
        logger.error({ err: error, path }, 'the state of the disk could not be checked');
      looking ??= every({ clock, periodMs: LOOK_EVERY_MS, work: lookOnce, onError });
    },
    close() {
      looking?.cancel();
    },
  };
}

/** Checks the mount too: opening a file is not enough, because ext4 in the state `emergency_ro` still reports its files as writable. */
function lookAtDisk(path: string): string | null {
  accessSync(path, constants.W_OK);
  const { bavail, bsize, blocks } = statfsSync(path);
  // Some network file systems report no blocks at all.
  if (blocks > 0 && bavail * bsize < ROOM_BYTES_MIN) return 'the disk is full';
  return readOnlyMount(mounts(), realpathSync(path));
}

function mounts(): string {
  try {
    return readFileSync(MOUNTS, 'utf8');
  } catch {
    return '';
  }
}
