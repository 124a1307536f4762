import type { Clock } from '../../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';
import type { SharedCounts } from './shared-counts.js';

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

/**
 * Limits how many requests a key has in a minute, which begins with its first request. @param options.requestsPerMin 0: no limit
 * @param options.shared what other processes count; left out: none does
 */
export function createRequestLimiter(options: {
  requestsPerMin: number;
  clock: Clock;
  shared?: SharedCounts | undefined;
}): RequestLimiter {
  const { requestsPerMin: limit, clock, shared } = options;
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

  const minuteOf = (key: string, now: number) => {
    const known = minutes.get(key);
    if (known !== undefined && !hasEnded(known, now)) return known;
    minutes.delete(key);
    makeRoom(now);
    const minute = { startedAt: now, count: 0 };
    minutes.set(key, minute);
    return minute;
  };
  shared?.onCounted((key, count) => {
    if (limit === 0) return;
    const minute = minuteOf(key, clock.monotonic());
    minute.count = Math.min(limit, minute.count + count);
  });

  const quotaAfter = (key: string): Quota | null => {
    if (limit === 0) return null;
    const now = clock.monotonic();
    const minute = minuteOf(key, now);
    const isUsedUp = minute.count >= limit;
    if (!isUsedUp) {
      minute.count += 1;
      shared?.note(key);
    }
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
