import type { Clock } from '../../shared/clock.js';
import { createLimitedQueue, type LimitedQueue } from '../../shared/limited-queue.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;
/** Attempts under one key that wait for each other. */
const WAITING_MAX = 50;

export interface FailureLimiter {
  /**
   * Runs `work`, and counts it when it fails in a way that counts. Attempts under one key run one after another, so that
   * a hundred sent at once get no more failures than a hundred in a row.
   * Throws code 429 with `retryAfterS` when the key has no failure left in this minute, QueueFullError when too many wait.
   */
  attempt<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Entry {
  /** Monotonic times of the failures of the last minute, oldest first. */
  failures: number[];
  /** Attempts that run or wait. */
  pending: number;
  queue: LimitedQueue;
}

/** @param options.failuresPerMin 0: no limit */
export function createFailureLimiter(options: {
  failuresPerMin: number;
  clock: Clock;
  countsAsFailure: (error: unknown) => boolean;
}): FailureLimiter {
  const { failuresPerMin, clock, countsAsFailure } = options;
  const entries = new Map<string, Entry>();

  const entryOf = (key: string): Entry => {
    const known = entries.get(key);
    if (known !== undefined) return known;
    if (entries.size >= KEYS_MAX) dropIdle();
    const queue = createLimitedQueue({ name: 'attempts', concurrency: 1, waitingMax: WAITING_MAX });
    const made: Entry = { failures: [], pending: 0, queue };
    entries.set(key, made);
    return made;
  };

  /** Forgets what no longer counts; when everything counts, the keys that failed longest ago. */
  const dropIdle = () => {
    for (const [key, entry] of entries) {
      forgetOld(entry);
      if (entry.failures.length === 0 && entry.pending === 0) entries.delete(key);
    }
    for (const [key, entry] of entries) {
      if (entries.size < KEYS_MAX) break;
      if (entry.pending === 0) entries.delete(key);
    }
  };

  const forgetOld = (entry: Entry) => {
    const since = clock.monotonic() - WINDOW_MS;
    while (entry.failures[0] !== undefined && entry.failures[0] <= since) entry.failures.shift();
  };

  const refuseWhenSpent = (entry: Entry) => {
    forgetOld(entry);
    const oldest = entry.failures[0];
    if (oldest === undefined || entry.failures.length < failuresPerMin) return;
    throw new RetryLaterError(429, { retryAfterS: Math.ceil((oldest + WINDOW_MS - clock.monotonic()) / 1_000) });
  };

  const run = async <T>(entry: Entry, work: () => Promise<T>): Promise<T> => {
    refuseWhenSpent(entry);
    try {
      return await work();
    } catch (error) {
      if (countsAsFailure(error)) entry.failures.push(clock.monotonic());
      throw error;
    }
  };

  return {
    async attempt(key, work) {
      if (failuresPerMin === 0) return work();
      const entry = entryOf(key);
      refuseWhenSpent(entry);
      entry.pending += 1;
      try {
        return await entry.queue.run(() => run(entry, work));
      } finally {
        entry.pending -= 1;
      }
    },
  };
}
