import type { Clock } from '../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export interface RequestLimiter {
  /** Counts a request of the key. @throws RetryLaterError (TOO_MANY_REQUESTS) when the key has used all requests of its minute */
  count(key: string): void;
  /** Throws as `count` does, and counts nothing. */
  check(key: string): void;
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

  const hasEnded = ({ startedAt }: { startedAt: number }, now: number) => now >= startedAt + WINDOW_MS;
  /** Minutes stand in the order in which they began. When none has ended, the first is forgotten: it has the least left. */
  const makeRoom = (now: number) => {
    for (const [key, minute] of minutes) {
      if (minutes.size < KEYS_MAX && !hasEnded(minute, now)) return;
      minutes.delete(key);
    }
  };
  const retryAfterS = (startedAt: number, now: number) => Math.ceil((startedAt + WINDOW_MS - now) / 1_000);

  const quotaAfter = (key: string): Quota | null => {
    if (limit === 0) return null;
    const now = clock.monotonic();
    let minute = minutes.get(key);
    if (minute === undefined || hasEnded(minute, now)) {
      minutes.delete(key);
      makeRoom(now);
      minute = { startedAt: now, count: 0 };
      minutes.set(key, minute);
    }
    const isUsedUp = minute.count >= limit;
    if (!isUsedUp) minute.count += 1;
    return { limit, remaining: limit - minute.count, resetS: retryAfterS(minute.startedAt, now), isUsedUp };
  };

  return {
    quotaAfter,
    count(key) {
      const quota = quotaAfter(key);
      if (quota?.isUsedUp) throw new RetryLaterError(429, { retryAfterS: quota.resetS });
    },
    check(key) {
      const now = clock.monotonic();
      const minute = minutes.get(key);
      if (limit === 0 || minute === undefined || hasEnded(minute, now) || minute.count < limit) return;
      throw new RetryLaterError(429, { retryAfterS: retryAfterS(minute.startedAt, now) });
    },
  };
}
