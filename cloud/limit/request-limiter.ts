import type { Clock } from '../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export interface RequestLimiter {
  /** Counts a request of the key. @throws RetryLaterError (TOO_MANY_REQUESTS) when the key has used all requests of its minute */
  count(key: string): void;
  /** Counts likewise, for who tells what is left: a request too many is told and not thrown. null: there is no limit. */
  quotaAfter(key: string): Quota | null;
}

export interface Quota {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** Whole seconds until the key has all requests again. */
  resetS: number;
  /** The request was one too many, and did not count. */
  isUsedUp: boolean;
}

/** Limits how many requests a key has in a minute, which begins with its first request. @param options.requestsPerMin 0: no limit */
export function createRequestLimiter(options: { requestsPerMin: number; clock: Clock }): RequestLimiter {
  const { requestsPerMin: limit, clock } = options;
  const minutes = new Map<string, { startedAt: number; count: number }>();

  const dropEnded = (now: number) => {
    for (const [key, { startedAt }] of minutes) if (now >= startedAt + WINDOW_MS) minutes.delete(key);
    // No minute has ended, so the one that began first is forgotten.
    const [first] = minutes.keys();
    if (minutes.size >= KEYS_MAX && first !== undefined) minutes.delete(first);
  };

  const quotaAfter = (key: string): Quota | null => {
    if (limit === 0) return null;
    const now = clock.monotonic();
    let minute = minutes.get(key);
    if (minute === undefined || now >= minute.startedAt + WINDOW_MS) {
      minutes.delete(key);
      if (minutes.size >= KEYS_MAX) dropEnded(now);
      minute = { startedAt: now, count: 0 };
      minutes.set(key, minute);
    }
    const isUsedUp = minute.count >= limit;
    if (!isUsedUp) minute.count += 1;
    const resetS = Math.ceil((minute.startedAt + WINDOW_MS - now) / 1_000);
    return { limit, remaining: limit - minute.count, resetS, isUsedUp };
  };

  return {
    quotaAfter,
    count(key) {
      const quota = quotaAfter(key);
      if (quota?.isUsedUp) throw new RetryLaterError(429, { retryAfterS: quota.resetS });
    },
  };
}
