/** The pace of one item's attempts: after longer and longer waits, for a limited time. */
export interface RetryPace {
  firstWaitMs: number;
  longestWaitMs: number;
  /** A wait as a multiple of the whole time since the first attempt. */
  growth: number;
  /** How long an item is tried, from its first attempt on. The last attempt is at the very end of this time. */
  triesForMs: number;
}

/** This part of a wait is random, so that items that failed together are not tried again together. */
const JITTER = 0.2;

/**
 * Decides when an item whose attempt failed is tried again.
 * @param tried.beganAt wall milliseconds of the first attempt; `now` of the last one's end
 * @param tried.random a number in [0, 1)
 * @param tried.leftAloneMs how long the receiver asked for patience; null: it did not
 * @returns wall milliseconds of the next attempt, or null when it was the last
 */
export function decideRetry(
  pace: RetryPace,
  tried: { beganAt: number; now: number; random: number; leftAloneMs?: number | null },
): number | null {
  const { beganAt, now, random, leftAloneMs } = tried;
  const elapsed = Math.max(0, now - beganAt);
  if (elapsed >= pace.triesForMs) return null;
  const wait = Math.min(pace.longestWaitMs, Math.max(pace.firstWaitMs, elapsed * pace.growth));
  const own = Math.round(wait * (1 - JITTER * random));
  return Math.min(now + Math.max(own, leftAloneMs ?? 0), beganAt + pace.triesForMs);
}
