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
}

/**
 * @param of.stays all that may count from `from_ms` on
 * @param of.recounts in their order
 * @param of.longest_ms a stay that is longer does not count any more
 * @param of.until nothing is known of what comes then
 */
export function decideSessionQuarters(of: {
  stays: readonly Stay[];
  recounts: readonly CountedAt[];
  longest_ms: number;
  until: number;
}): Quarter[] {
  const { stays, recounts, longest_ms } = of;
  const changes: { at: number; delta: number }[] = [];
  for (const { began_ms, ended_ms } of stays) {
    const until = Math.min(ended_ms ?? Number.POSITIVE_INFINITY, began_ms + longest_ms);
    let isCounted = true;
    changes.push({ at: began_ms, delta: 1 });
    for (const { counted_at: at, uncounted_until } of recounts) {
      const isThere = began_ms > uncounted_until;
      if (at <= began_ms || at >= until || isThere === isCounted) continue;
      changes.push({ at, delta: isThere ? 1 : -1 });
      isCounted = isThere;
    }
    if (isCounted) changes.push({ at: until, delta: -1 });
  }
  for (const [index, { counted_at, extra_count }] of recounts.entries()) {
    const until = Math.min(recounts[index + 1]?.counted_at ?? Number.POSITIVE_INFINITY, counted_at + longest_ms);
    if (extra_count > 0) changes.push({ at: counted_at, delta: extra_count }, { at: until, delta: -extra_count });
  }
  const quarters: Quarter[] = [];
  for (const change of changes.sort((a, b) => a.at - b.at)) {
    if (change.at >= of.until) break;
    const quarter = quarterOf(change.at);
    const last = quarters.at(-1);
    if (last?.quarter === quarter) quarters[quarters.length - 1] = withChange(last, change);
    else quarters.push(withChange(quietQuarter(quarter, last?.last_count ?? 0), change));
  }
  return quarters;
}
