import type { Clock } from '../../../shared/clock.js';
import { createBuckets } from '../../../shared/flow/buckets.js';
import { RetryLaterError } from './retry-later-error.js';
import type { SharedCounts } from './shared-counts.js';

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
  const minutes = createBuckets({ clock, size: limit, refill: { allAfterMs: 60_000 }, keysMax: KEYS_MAX });
  shared?.onCounted((key, count) => {
    if (limit > 0) minutes.owe(key, Math.min(count, limit - minutes.spent(key)));
  });

  const quotaAfter = (key: string): Quota | null => {
    if (limit === 0) return null;
    const isUsedUp = minutes.spend(key) > 0;
    if (!isUsedUp) shared?.note(key);
    const resetS = Math.ceil(minutes.fullInMs(key) / 1_000);
    return { limit, remaining: limit - minutes.spent(key), resetS, isUsedUp };
  };

  return {
    quotaAfter,
    count(key) {
      const quota = quotaAfter(key);
      if (quota?.isUsedUp) throw new RetryLaterError(429, { retryAfterS: quota.resetS });
    },
    check(key) {
      const waitMs = limit === 0 ? 0 : minutes.waitMs(key);
      if (waitMs > 0) throw new RetryLaterError(429, { retryAfterS: Math.ceil(waitMs / 1_000) });
    },
  };
}
