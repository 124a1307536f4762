/** Decides how a zone's sessions are counted from a recount on. */

export interface Recount {
  /** Sessions that began until then are of vehicles that are not there. */
  uncounted_until: number;
  /** Vehicles that have no session. */
  extra_count: number;
}

/**
 * The vehicles that are not there are taken to be those that came first: their exit was missed longest ago.
 * @param begun when the zone's open sessions began, in any order
 * @param counted how many vehicles somebody counted
 */
export function decideRecount(begun: readonly number[], counted: number): Recount {
  const newestFirst = begun.toSorted((a, b) => b - a);
  const uncounted_until = newestFirst[counted] ?? 0;
  const stay = newestFirst.filter((began) => began > uncounted_until).length;
  return { uncounted_until, extra_count: counted - stay };
}
