/** How far local time is from UTC, and until when that holds. */
import { createOffsetAt } from './counted-zone.js';
import { SECOND_MS } from './durations.js';

export interface OffsetSpan {
  /** Local time minus UTC. */
  offset_ms: number;
  /** The offset does not change before this time; it may stay the same after it. */
  until_ms: number;
}

/** Clocks are never changed twice in a week. */
const WEEK_MS = 7 * 24 * 3_600_000;
const WEEKS_KEPT_MAX = 10_000;
/** How many weeks ahead the end of an offset is sought. */
const WEEKS_TOGETHER = 53;

interface Week {
  offset_ms: number;
  changes_ms: number;
  offset_after_ms: number;
}

const known = new Map<string, (ms: number) => OffsetSpan>();

/**
 * Finds the offsets of a time zone; it asks the time zone database once for each week. A zone that this machine does not know is counted
 * in UTC.
 */
export function zoneOffsets(timezone: string): (ms: number) => OffsetSpan {
  let offsets = known.get(timezone);
  if (offsets === undefined) {
    offsets = createOffsets(timezone);
    known.set(timezone, offsets);
  }
  return offsets;
}

function createOffsets(timezone: string): (ms: number) => OffsetSpan {
  const offsetAt = createOffsetAt(timezone);
  const weeks = new Map<number, Week>();
  const untils = new Map<number, number>();

  function weekOf(index: number): Week {
    const kept = weeks.get(index);
    if (kept !== undefined) return kept;
    const week = readWeek(offsetAt, index * WEEK_MS);
    if (weeks.size >= WEEKS_KEPT_MAX) {
      weeks.clear();
      untils.clear();
    }
    weeks.set(index, week);
    return week;
  }

  /** Finds until when the offset at the beginning of a week holds, at most to the end of the weeks that are searched together. */
  function untilOf(index: number): number {
    const kept = untils.get(index);
    if (kept !== undefined) return kept;
    const week = weekOf(index);
    const isLast = (index + 1) % WEEKS_TOGETHER === 0;
    const until_ms = week.offset_after_ms !== week.offset_ms || isLast ? week.changes_ms : untilOf(index + 1);
    untils.set(index, until_ms);
    return until_ms;
  }

  return (ms) => {
    const index = Math.floor(ms / WEEK_MS);
    const week = weekOf(index);
    const changes = week.offset_after_ms !== week.offset_ms;
    if (changes && ms < week.changes_ms) return { offset_ms: week.offset_ms, until_ms: week.changes_ms };
    return { offset_ms: week.offset_after_ms, until_ms: changes ? untilOf(index + 1) : untilOf(index) };
  };
}

/** Looks for the second at which the offset changes, if it does. */
function readWeek(offsetAt: (ms: number) => number, beginning: number): Week {
  const offset_ms = offsetAt(beginning);
  let before = beginning;
  let after = beginning + WEEK_MS;
  const offset_after_ms = offsetAt(after);
  if (offset_ms === offset_after_ms) return { offset_ms, changes_ms: after, offset_after_ms };
  while (after - before > SECOND_MS) {
    const middle = before + Math.floor((after - before) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(middle) === offset_ms) before = middle;
    else after = middle;
  }
  return { offset_ms, changes_ms: after, offset_after_ms };
}
