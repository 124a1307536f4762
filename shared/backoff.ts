/** Spreads repeated attempts over time, so that a thousand gateways do not come back in the same second. */

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
