/** Spreads repeated attempts over time, so that a thousand gateways do not come back in the same second. */
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

/** The waits of one that keeps a link: they grow until a link has stood for so long that it is a success. */
export interface LinkWaits {
  /** The link stands. */
  opened(): void;
  /** A try or a link ended. @returns milliseconds until the next try */
  lost(): number;
}

/**
 * A link that is made and lost at once, as by an other side that lets in and throws out, is no success: the waits go on growing. It is one
 * when it stood for `goodAfterMs`, and for as long as the wait before it may have been.
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
