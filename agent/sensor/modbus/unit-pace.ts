/**
 * How long a unit on a serial line is waited for. An answer has no number there: one that comes after it was given up would be taken for that
 * to the next question. So a unit has as long as it has needed and more, and after a silence nothing is asked of it for a while. Pure.
 */

export interface UnitPace {
  /** The longest that it has needed for an answer lately. */
  needed_ms: number;
  /** How many questions in a row it left unanswered. */
  silences: number;
  /** When it may be asked again, on the monotonic clock: what it has not answered by then it will not answer any more. */
  rests_until_ms: number;
}

export const NEW_PACE: UnitPace = { needed_ms: 0, silences: 0, rests_until_ms: 0 };

/** An answer that is late is not given up at once: nobody else is asked meanwhile. */
const LATE = 2;
const NEEDED_MARGIN = 1.5;
/** What it needed once is forgotten by and by. */
const NEEDED_KEPT = 0.99;
/** After its first silences it gets more time, as it may be slow; then it counts as dead, and the others on the line wait no longer for it. */
const GROWTH = [1, 2, 4];
const PATIENCE_MAX_MS = 6_000;
const REST = 10;

/** How long an answer is waited for. @param timeout_ms that the unit is said to need */
export function patienceOf({ needed_ms, silences }: UnitPace, timeout_ms: number): number {
  const limit_ms = Math.max(timeout_ms, needed_ms * NEEDED_MARGIN) * LATE;
  return Math.max(limit_ms, Math.min(PATIENCE_MAX_MS, limit_ms * (GROWTH[silences] ?? 1)));
}

/** A question was sent. It counts as unanswered until an answer comes, even when whoever asked is gone. */
export const paceAfterQuestion = (pace: UnitPace, of: { mono_ms: number; timeout_ms: number }): UnitPace => ({
  ...pace,
  silences: pace.silences + 1,
  rests_until_ms: of.mono_ms + Math.max(of.timeout_ms * REST, patienceOf(pace, of.timeout_ms)),
});

export const paceAfterAnswer = ({ needed_ms }: UnitPace, took_ms: number): UnitPace => ({
  needed_ms: Math.max(took_ms, needed_ms * NEEDED_KEPT),
  silences: 0,
  rests_until_ms: 0,
});
