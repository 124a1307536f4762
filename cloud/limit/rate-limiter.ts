/** Limits how many commands per minute a key may have. */
import type { Clock } from '../../shared/clock.js';
import { RetryLaterError } from './retry-later-error.js';

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

export interface RateLimiter {
  /** @throws RetryLaterError, code 429, when the key has reached its limit for this minute */
  check(key: number): void;
  /** Counts one more. */
  count(key: number): void;
}

/** @param options.perMin 0: no limit */
export function createRateLimiter(options: { perMin: number; clock: Clock }): RateLimiter {
  const { perMin, clock } = options;
  /** Monotonic times of the last minute, oldest first. */
  const timesOf = new Map<number, number[]>();

  const recent = (key: number): number[] => (timesOf.get(key) ?? []).filter((at) => at > clock.monotonic() - WINDOW_MS);

  return {
    check(key) {
      const times = recent(key);
      const oldest = times[0];
      if (perMin === 0 || oldest === undefined || times.length < perMin) return;
      throw new RetryLaterError(429, { retryAfterS: Math.ceil((oldest + WINDOW_MS - clock.monotonic()) / 1_000) });
    },
    count(key) {
      if (perMin === 0) return;
      const times = [...recent(key), clock.monotonic()];
      timesOf.delete(key);
      timesOf.set(key, times);
      for (const oldest of timesOf.keys()) {
        if (timesOf.size <= KEYS_MAX) break;
        timesOf.delete(oldest);
      }
    },
  };
}
