/** Decides when a delivery that was not acknowledged is tried again: after longer and longer waits, for three days. */

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;
/** How long a delivery is tried, from its first attempt on. */
const TRIES_FOR_MS = 3 * 24 * 3_600_000;
/** The next wait, as a multiple of the whole time since the first attempt. */
const GROWTH = 2;
/** This part of a wait is random, so that deliveries that failed together are not tried again together. */
const JITTER = 0.2;

/**
 * @param tried.beganAt wall milliseconds of the first attempt; `now` of the last one's end
 * @param tried.random a number in [0, 1)
 * @param tried.leftAloneMs how long the receiver asked for patience; null: it did not
 * @returns wall milliseconds of the next attempt, or null when it was the last
 */
export function decideRetry(tried: {
  beganAt: number;
  now: number;
  random: number;
  leftAloneMs?: number | null;
}): number | null {
  const { beganAt, now, random, leftAloneMs } = tried;
  const elapsed = Math.max(0, now - beganAt);
  if (elapsed >= TRIES_FOR_MS) return null;
  const wait = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, elapsed * GROWTH));
  // The last attempt is at the very end of the three days.
  const own = Math.round(wait * (1 - JITTER * random));
  return Math.min(now + Math.max(own, leftAloneMs ?? 0), beganAt + TRIES_FOR_MS);
}
