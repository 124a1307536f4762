/**
 * The time to wait for the answer of a unit on a serial line. Answers have no number there, so a late answer would count as the answer to the
 * next question. A unit therefore gets more time than it has ever needed, and after a silence it is not asked for a while. Pure.
 */

export interface UnitPace {
  /** The longest time that it has needed for an answer lately. */
  needed_ms: number;
  /** How many questions in a row it left unanswered. */
  silences: number;
  /** When it may be asked again, on the monotonic clock. A late answer will not come after this time. */
  rests_until_ms: number;
}

export const NEW_PACE: UnitPace = { needed_ms: 0, silences: 0, rests_until_ms: 0 };

/** A unit has this many times its expected time, because no other unit may be asked while its answer may still come. */
const LATE = 2;
const NEEDED_MARGIN = 1.5;
/** With each answer the longest needed time shrinks by this factor, so that a single slow answer is forgotten. */
const NEEDED_KEPT = 0.99;
/** After its first silences a unit gets more time, because it may be slow. After more silences it counts as dead and gets the usual time. */
const GROWTH = [1, 2, 4];
const PATIENCE_MAX_MS = 6_000;
const REST = 10;

/** Returns how long to wait for an answer. @param timeout_ms that the unit is said to need */
export function patienceOf({ needed_ms, silences }: UnitPace, timeout_ms: number): number {
  const limit_ms = Math.max(timeout_ms, needed_ms * NEEDED_MARGIN) * LATE;
  return Math.max(limit_ms, Math.min(PATIENCE_MAX_MS, limit_ms * (GROWTH[silences] ?? 1)));
}

/** A question was sent. It counts as unanswered until an answer comes, even when the caller does not wait any more. */
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
