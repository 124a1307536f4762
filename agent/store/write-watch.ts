/**
 * Knows whether the disk takes what the store writes. A card that became read-only, or is full, is to be told at once and not with the next
 * vehicle, and is to be forgotten as soon as it takes something again.
 */
import { accessSync, constants, statfsSync } from 'node:fs';
import { type Clock, every, type Timer } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { CallResult, StoreCall } from './sqlite-agent-protocol.js';

const LOOK_EVERY_MS = 2_000;
/** With less room a disk counts as full until it takes a record. */
const ROOM_BYTES_MIN = 1024 * 1024;
const READS: ReadonlySet<StoreCall['op']> = new Set(['batch', 'state']);

export interface WriteWatch {
  /** Calls went to the disk; `done` says what came of them. */
  sent(calls: readonly StoreCall[]): void;
  done(results: readonly CallResult[]): void;
  /** Why the disk takes nothing, in words for the installer; null: it does, as far as is known. */
  refusal(): string | null;
  start(): void;
  close(): void;
}

/**
 * @param deps.probe writes something that changes nothing
 * @param deps.freeBytes how much room a path's file system has
 */
export function createWriteWatch(deps: {
  path: string;
  clock: Clock;
  logger: Logger;
  probe: () => Promise<unknown>;
  freeBytes?: (path: string) => number;
}): WriteWatch {
  const { path, clock, logger, freeBytes = freeBytesOf } = deps;
  let underway: readonly StoreCall[] = [];
  let refused: { isFull: boolean; reason: string } | null = null;
  let looking: Timer | null = null;

  function note(next: typeof refused): void {
    if (next !== null && refused === null) logger.error({ path, reason: next.reason }, 'the disk refuses to write');
    if (next === null && refused !== null) logger.warn({ path }, 'the disk takes what is written again');
    refused = next;
  }

  /** A disk that is full may take a small change of what is there, and no record: it has to have room, too. */
  const healsIt = ({ op }: StoreCall) =>
    !READS.has(op) && !(refused?.isFull === true && op === 'clock' && freeBytes(path) < ROOM_BYTES_MIN);

  /**
   * Says of a file system that is mounted read-only that it is, without a write that would wear the card. One that became so by an error
   * may go on as writable for whoever asks (`emergency_ro` of ext4): the next write tells.
   */
  function look(): void {
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      note({ isFull: false, reason: error instanceof Error ? error.message : String(error) });
    }
    // What came of it is told by `done`.
    if (refused !== null) deps.probe().catch(() => {});
  }

  return {
    sent(calls) {
      underway = calls;
    },
    done(results) {
      for (const [index, result] of results.entries()) {
        const call = underway[index];
        if (call === undefined) continue;
        if (result.ok) {
          if (refused !== null && healsIt(call)) note(null);
        } else if (!result.failure.damaged && (result.failure.code === 'io' || result.failure.code === 'full')) {
          note({ isFull: result.failure.code === 'full', reason: result.failure.message });
        }
      }
      underway = [];
    },
    refusal: () => (refused === null ? null : `the disk refuses to write (${refused.reason}): look at the card`),
    start() {
      const onError = (error: unknown) => logger.error({ err: error, path }, 'the disk could not be looked at');
      looking = every({ clock, periodMs: LOOK_EVERY_MS, work: async () => look(), onError });
    },
    close() {
      looking?.cancel();
    },
  };
}

/** @returns 0 when it cannot be asked */
function freeBytesOf(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
