/** How full a zone was by its sessions: the same quarters as of sensors, from when sessions began and ended and from recounts. */
import { type Quarter, quarterOf, quietQuarter, withChange } from './decide-quarter.js';

export interface Stay {
  began_ms: number;
  /** null: it goes on. */
  ended_ms: number | null;
}

export interface CountedAt {
  occupied_count: number;
  uncounted_until: number;
  extra_count: number;
  counted_at: number;
  /** When vehicles left that have no session, in their order, before the next recount: at most `extra_count`. */
  left_at: readonly number[];
}

export interface SessionFold {
  /** Adds stays. Those that are added later begin at `until_ms` or later. */
  add(stays: readonly Stay[], until_ms: number): void;
  /** The quarters in which something changed, in their order. */
  quarters(): Quarter[];
}

/**
 * Folds stays in the order in which they began, some at a time. Only quarters and stays that go on are kept, so that a year of a busy
 * zone is never in memory at once.
 * @param of.recounts in their order
 * @param of.longest_ms a stay that is longer does not count any more
 * @param of.until wall milliseconds: later stays are not known
 */
export function createSessionFold(of: {
  recounts: readonly CountedAt[];
  longest_ms: number;
  until: number;
}): SessionFold {
  const { recounts, longest_ms } = of;
  const quarters: Quarter[] = [];
  /** What is not folded yet: changes that stays may still come before. */
  let changes = changesOfExtras(recounts, longest_ms);

  function fold(until_ms: number): void {
    const now = changes.filter(({ at }) => at < until_ms).sort((a, b) => a.at - b.at);
    changes = changes.filter(({ at }) => at >= until_ms);
    for (const change of now) {
      const quarter = quarterOf(change.at);
      const last = quarters.at(-1);
      if (last?.quarter === quarter) quarters[quarters.length - 1] = withChange(last, change);
      else quarters.push(withChange(quietQuarter(quarter, last?.last_count ?? 0), change));
    }
  }

  return {
    add(stays, until_ms) {
      for (const stay of stays) for (const change of changesOf(stay, recounts, longest_ms)) changes.push(change);
      fold(Math.min(until_ms, of.until));
    },
    quarters() {
      fold(of.until);
      return quarters;
    },
  };
}

interface Change {
  at: number;
  delta: number;
}

function changesOf({ began_ms, ended_ms }: Stay, recounts: readonly CountedAt[], longest_ms: number): Change[] {
  const changes: Change[] = [{ at: began_ms, delta: 1 }];
  const until = Math.min(ended_ms ?? Number.POSITIVE_INFINITY, began_ms + longest_ms);
  let isCounted = true;
  for (const { counted_at: at, uncounted_until } of recounts) {
    const isThere = began_ms > uncounted_until;
    if (at <= began_ms || at >= until || isThere === isCounted) continue;
    changes.push({ at, delta: isThere ? 1 : -1 });
    isCounted = isThere;
  }
  if (isCounted) changes.push({ at: until, delta: -1 });
  return changes;
}

function changesOfExtras(recounts: readonly CountedAt[], longest_ms: number): Change[] {
  return recounts.flatMap(({ counted_at, extra_count, left_at }, index) => {
    const until = Math.min(recounts[index + 1]?.counted_at ?? Number.POSITIVE_INFINITY, counted_at + longest_ms);
    if (extra_count === 0) return [];
    return [
      { at: counted_at, delta: extra_count },
      ...left_at.map((at) => ({ at, delta: -1 })),
      { at: until, delta: left_at.length - extra_count },
    ];
  });
}
