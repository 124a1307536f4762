/**
 * Knows whether the disk takes what a store writes. A disk that became read-only, or is full, is to be told at once and not with the next
 * vehicle, and is to be forgotten as soon as it takes something again. A disk that takes everything is not written to for this: that would wear a card.
 */
import { accessSync, constants, readFileSync, realpathSync, statfsSync } from 'node:fs';
import { type Clock, every, type Timer } from '../clock.js';
import type { Logger } from '../logger.js';
import { readOnlyMount } from '../mount-table-parser.js';
import { errorText } from '../error-text.js';

const LOOK_EVERY_MS = 2_000;
/** With less room a disk counts as full. */
const ROOM_BYTES_MIN = 1024 * 1024;
const MOUNTS = '/proc/self/mountinfo';

export interface WriteWatch {
  /** The disk took something. */
  noteWritten(): void;
  /** The disk refused something. */
  noteRefused(reason: string): void;
  /** Why the disk takes nothing, in words for the operator; null: it does, as far as is known. */
  refusal(): string | null;
  start(): void;
  close(): void;
}

/**
 * @param deps.path the file of the store
 * @param deps.probe writes something that changes nothing; whoever writes says what came of it. Asked for only while the disk refuses
 * @param deps.look what is wrong with the disk that can be seen without a write; null: nothing. It throws what it stumbles over
 */
export function createWriteWatch(deps: {
  path: string;
  clock: Clock;
  logger: Logger;
  probe: () => Promise<unknown>;
  look?: (path: string) => string | null;
}): WriteWatch {
  const { path, clock, logger, probe, look = lookAtDisk } = deps;
  let seen: string | null = null;
  let told: string | null = null;
  let looking: Timer | null = null;
  let isProbing = false;
  const refusal = () => seen ?? told;

  function note(next: { seen?: string | null; told?: string | null }): void {
    const before = refusal();
    if (next.seen !== undefined) seen = next.seen;
    if (next.told !== undefined) told = next.told;
    const reason = refusal();
    if (reason !== null && before === null) logger.error({ path, reason }, 'the disk refuses to write');
    if (reason === null && before !== null) logger.warn({ path }, 'the disk takes what is written again');
  }

  function lookOnce(): void {
    try {
      note({ seen: look(path) });
    } catch (error) {
      note({ seen: errorText(error) });
    }
    if (told === null || isProbing) return;
    isProbing = true;
    void probe()
      .catch(() => {})
      .finally(() => {
        isProbing = false;
      });
  }

  return {
    noteWritten: () => note({ told: null }),
    noteRefused: (reason) => note({ told: reason }),
    refusal: () => (refusal() === null ? null : `the disk refuses to write (${refusal()}): look at the card`),
    start() {
      const onError = (error: unknown) => logger.error({ err: error, path }, 'the disk could not be looked at');
      looking ??= every({ clock, periodMs: LOOK_EVERY_MS, work: lookOnce, onError });
    },
    close() {
      looking?.cancel();
    },
  };
}

/** Linux tells of its mounts what opening a file does not: ext4 in `emergency_ro` calls its files writable. */
function lookAtDisk(path: string): string | null {
  accessSync(path, constants.W_OK);
  const { bavail, bsize, blocks } = statfsSync(path);
  // Some network file systems say that they have no blocks at all.
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
