import type { Clock } from '../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export interface RequestLimiter {
  /** Counts a request of the key. @throws RetryLaterError (TOO_MANY_REQUESTS) when the key has used all requests of its minute */
  count(key: string): void;
  /** What the key has left of the minute that its last request counted in; null: there is no limit. */
  quota(key: string): Quota | null;
}

export interface Quota {
  /** Requests per minute. */
  limit: number;
  remaining: number;
  /** Whole seconds until the key has all requests again. */
  resetS: number;
}

/** Limits how many requests a key has in a minute, which begins with its first request. @param options.requestsPerMin 0: no limit */
export function createRequestLimiter(options: { requestsPerMin: number; clock: Clock }): RequestLimiter {
  const { requestsPerMin, clock } = options;
  const minutes = new Map<string, { startedAt: number; count: number }>();

  const dropEnded = (now: number) => {
    for (const [key, { startedAt }] of minutes) if (now >= startedAt + WINDOW_MS) minutes.delete(key);
    // No minute has ended, so the one that began first is forgotten.
    const [first] = minutes.keys();
    if (minutes.size >= KEYS_MAX && first !== undefined) minutes.delete(first);
  };

  const secondsLeft = ({ startedAt }: { startedAt: number }) =>
    Math.ceil((startedAt + WINDOW_MS - clock.monotonic()) / 1_000);

  return {
    quota(key) {
      const minute = minutes.get(key);
      if (minute === undefined) return null;
      return { limit: requestsPerMin, remaining: requestsPerMin - minute.count, resetS: secondsLeft(minute) };
    },
    count(key) {
      if (requestsPerMin === 0) return;
      const now = clock.monotonic();
      let minute = minutes.get(key);
      if (minute === undefined || now >= minute.startedAt + WINDOW_MS) {
        minutes.delete(key);
        if (minutes.size >= KEYS_MAX) dropEnded(now);
        minute = { startedAt: now, count: 0 };
        minutes.set(key, minute);
      }
      if (minute.count >= requestsPerMin) {
        throw new RetryLaterError(429, { retryAfterS: secondsLeft(minute) });
      }
      minute.count += 1;
    },
  };
}
