import type { Clock } from '../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export interface RequestLimiter {
  /** Counts a request of the key. @throws RetryLaterError (TOO_MANY_REQUESTS) when the key has used all requests of its minute */
  count(key: string): void;
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

  return {
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
        throw new RetryLaterError(429, { retryAfterS: Math.ceil((minute.startedAt + WINDOW_MS - now) / 1_000) });
      }
      minute.count += 1;
    },
  };
}
