/** Spreads repeated attempts over time, so that a thousand gateways do not reconnect in the same second. */
import type { Clock } from './clock.js';

export interface BackoffLimits {
  baseMs: number;
  maxMs: number;
}

/**
 * Full jitter: a delay anywhere between 0 and the bound of this attempt.
 * @param attempt 0 for the first repeat
 * @param random a number in [0, 1), drawn by the caller
 */
export function backoffDelayMs(limits: BackoffLimits, attempt: number, random: number): number {
  const bound = Math.min(limits.maxMs, limits.baseMs * 2 ** Math.min(attempt, 30));
  return Math.floor(random * bound);
}

/** The waiting times of a program that keeps a link. They grow until a link has lasted long enough to count as a success. */
export interface LinkWaits {
  /** Call it when the link was made. */
  opened(): void;
  /** Call it when an attempt failed or the link ended. @returns milliseconds until the next attempt */
  lost(): number;
}

/**
 * A link that is lost right after it was made (for example because the other side accepts and then disconnects) does not count as a success:
 * the waits keep growing. A link counts as a success when it lasted for `goodAfterMs` and at least as long as the longest wait that could
 * have preceded it.
 * @param options.random a number in [0, 1), drawn for each wait
 */
export function createLinkWaits(options: {
  limits: BackoffLimits;
  goodAfterMs: number;
  clock: Pick<Clock, 'monotonic'>;
  random(): number;
}): LinkWaits {
  const { limits, clock, random } = options;
  let openedMs: number | null = null;
  let attempt = 0;
  let neededMs = options.goodAfterMs;
  return {
    opened() {
      openedMs = clock.monotonic();
    },
    lost() {
      if (openedMs !== null && clock.monotonic() - openedMs >= neededMs) attempt = 0;
      openedMs = null;
      neededMs = Math.max(options.goodAfterMs, backoffDelayMs(limits, attempt, 1));
      const waitMs = backoffDelayMs(limits, attempt, random());
      attempt += 1;
      return waitMs;
    },
  };
}
