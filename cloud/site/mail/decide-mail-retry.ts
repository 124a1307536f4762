/** How long a mail that was not accepted is tried. */
const TRIES_FOR_MS = 2 * 24 * 3_600_000;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 3_600_000;
/** Each wait is this part of the whole time since the first attempt: a server that asks to come back in five minutes is asked soon after. */
const GROWTH = 0.5;
/** This part of a wait is random, so that mails that failed together are not tried again together. */
const JITTER = 0.2;

/**
 * Decides when a mail is tried again.
 * @param tried.beganAt wall milliseconds of the first attempt; `now` of the last one's end
 * @param tried.random a number in [0, 1)
 * @returns wall milliseconds of the next attempt, or null when it was the last
 */
export function decideMailRetry(tried: { beganAt: number; now: number; random: number }): number | null {
  const { beganAt, now, random } = tried;
  const elapsed = Math.max(0, now - beganAt);
  if (elapsed >= TRIES_FOR_MS) return null;
  const wait = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, elapsed * GROWTH));
  // The last attempt is at the very end of the two days.
  return Math.min(now + Math.round(wait * (1 - JITTER * random)), beganAt + TRIES_FOR_MS);
}
