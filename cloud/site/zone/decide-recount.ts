/** Decides how a zone's sessions are counted after a recount. */

export interface Recount {
  /** Sessions that began until this time do not count, because their vehicles were not there. */
  uncounted_until: number;
  /** The number of vehicles that were there without a session. */
  extra_count: number;
}

/**
 * If fewer vehicles were counted than there are sessions, the oldest sessions no longer count: their exits were probably missed.
 * @param begun when the zone's open sessions began, in any order
 * @param counted how many vehicles were counted
 */
export function decideRecount(begun: readonly number[], counted: number): Recount {
  const newestFirst = begun.toSorted((a, b) => b - a);
  const uncounted_until = newestFirst[counted] ?? 0;
  const stay = newestFirst.filter((began) => began > uncounted_until).length;
  return { uncounted_until, extra_count: counted - stay };
}
