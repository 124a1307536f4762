import type { Clock } from '../../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';
import type { SharedCounts } from './shared-counts.js';

const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 60_000;
/** A key without a failure for so long is forgotten. */
const FORGOTTEN_MS = 3_600_000;
const KEYS_MAX = 10_000;
const KEYS_KEPT = 9_000;

/** Slows down guessing at one thing by many who each fail only a few times. */
export interface GrowingDelay {
  /**
   * Runs `work`. After a number of failures at a key, attempts at it begin no sooner than 1 s, 2 s, 4 s, ... 60 s one after another.
   * @throws RetryLaterError (TOO_MANY_REQUESTS) for one that comes too soon
   */
  attempt<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Entry {
  /** Failures, and attempts that have not ended. */
  count: number;
  /** Monotonic milliseconds. */
  lastAt: number;
  /** When the next attempt may begin. */
  nextAt: number;
}

/**
 * @param options.freeFailures how many failures of a key slow down nothing; 0: nothing is ever slowed down
 * @param options.shared what other processes count; left out: none does
 */
export function createGrowingDelay(options: {
  freeFailures: number;
  clock: Clock;
  countsAsFailure: (error: unknown) => boolean;
  shared?: SharedCounts | undefined;
}): GrowingDelay {
  const { freeFailures, clock, countsAsFailure, shared } = options;
  const entries = new Map<string, Entry>();

  const entryOf = (key: string, now: number): Entry => {
    const known = entries.get(key);
    if (known !== undefined && now - known.lastAt < FORGOTTEN_MS) return known;
    if (entries.size >= KEYS_MAX) makeRoom();
    return { count: 0, lastAt: now, nextAt: now };
  };
  shared?.onCounted((key, count) => {
    if (freeFailures === 0) return;
    const now = clock.monotonic();
    const entry = entryOf(key, now);
    entry.count += count;
    entry.lastAt = now;
    entries.set(key, entry);
  });

  const begin = (key: string): Entry => {
    const now = clock.monotonic();
    const entry = entryOf(key, now);
    if (entry.count >= freeFailures) {
      if (now < entry.nextAt) throw new RetryLaterError(429, { retryAfterS: Math.ceil((entry.nextAt - now) / 1_000) });
      entry.nextAt = now + Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** (entry.count - freeFailures));
    }
    entry.count += 1;
    entry.lastAt = now;
    entries.set(key, entry);
    return entry;
  };

  /** Keys that are not slowed down yet go first, so that made-up ones do not end the delay of one that is guessed at. */
  const makeRoom = () => {
    const hasFewFirst = [...entries].toSorted(([, one], [, other]) => one.count - other.count);
    for (const [key] of hasFewFirst.slice(0, entries.size - KEYS_KEPT)) entries.delete(key);
  };

  return {
    async attempt(key, work) {
      if (freeFailures === 0) return work();
      const entry = begin(key);
      let isFailure = false;
      try {
        return await work();
      } catch (error) {
        isFailure = countsAsFailure(error);
        if (isFailure) shared?.note(key);
        throw error;
      } finally {
        if (!isFailure) entry.count -= 1;
        if (entry.count === 0 && entries.get(key) === entry) entries.delete(key);
      }
    },
  };
}
