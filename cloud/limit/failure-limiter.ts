import type { Clock } from '../../shared/clock.js';
import { createLimitedQueue, type LimitedQueue } from '../../shared/limited-queue.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;
/** How many attempts under one key may wait for their turn. */
const WAITING_MAX = 50;

export interface FailureLimiter {
  /**
   * Runs `work`, and counts it when it fails with an error that counts. Attempts under one key run one after another, so that many at
   * once may fail no more often than as many in a row.
   * @throws RetryLaterError (TOO_MANY_REQUESTS) when the key has no failure left in this minute, QueueFullError when too many attempts wait
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

/** Limits how often attempts under one key may fail within a minute. @param options.failuresPerMin 0: no limit */
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
    const entry: Entry = { failures: [], pending: 0, queue };
    entries.set(key, entry);
    return entry;
  };

  /** Forgets keys without a failure that still counts; if all have one, it forgets the keys that were added first. */
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
