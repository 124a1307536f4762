/** When a delivery that was not acknowledged is tried again: after ever longer waits, for three days. */

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;
/** From the first try on. */
const TRIES_FOR_MS = 3 * 24 * 3_600_000;
/** The next wait, as a multiple of all the time since the first try. */
const GROWTH = 2;
/** Webhooks that failed together do not come back together. */
const JITTER = 0.2;

/**
 * @param tried.beganAt wall milliseconds of the first try; `now` of the last one's end
 * @param tried.random a number in [0, 1)
 * @returns wall milliseconds of the next try, or null when it was the last
 */
export function decideRetry({ beganAt, now, random }: { beganAt: number; now: number; random: number }): number | null {
  const elapsed = Math.max(0, now - beganAt);
  if (elapsed >= TRIES_FOR_MS) return null;
  const wait = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, elapsed * GROWTH));
  // The last try is at the very end of the three days.
  return Math.min(now + Math.round(wait * (1 - JITTER * random)), beganAt + TRIES_FOR_MS);
}
