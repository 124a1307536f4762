/** Folds changes of occupancy into quarters of an hour, and quarters into the periods of a plot. */

export const QUARTER_MS = 15 * 60_000;

/** The occupancy in a quarter of an hour; the names are those of the table. */
export interface Quarter {
  quarter: number;
  first_count: number;
  last_count: number;
  min_count: number;
  max_count: number;
  area: number;
  last_at: number;
}

export const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS) * QUARTER_MS;

/** A quarter in which nothing has changed yet. */
export const quietQuarter = (quarter: number, count: number): Quarter => ({
  quarter,
  first_count: count,
  last_count: count,
  min_count: count,
  max_count: count,
  area: count * QUARTER_MS,
  last_at: quarter,
});

/**
 * Adds a change to its quarter. Changes may come in any order: the mean is always exact. The extremes are exact if the changes of this
 * quarter come in order, and else the widest possible ones.
 */
export function withChange(quarter: Quarter, { at, delta }: { at: number; delta: number }): Quarter {
  const last_count = quarter.last_count + delta;
  const isInOrder = at >= quarter.last_at;
  // The count before the first moment of the quarter is no part of the quarter.
  if (at === quarter.quarter && isInOrder) {
    const area = last_count * QUARTER_MS;
    return { ...quarter, last_count, min_count: last_count, max_count: last_count, area };
  }
  return {
    ...quarter,
    last_count,
    min_count: Math.min(quarter.min_count, isInOrder ? last_count : quarter.min_count + delta),
    max_count: Math.max(quarter.max_count, isInOrder ? last_count : quarter.max_count + delta),
    area: quarter.area + delta * (quarter.quarter + QUARTER_MS - at),
    last_at: Math.max(at, quarter.last_at),
  };
}

export interface OccupancyPeriod {
  from_ms: number;
  min: number;
  mean: number;
  max: number;
}

/**
 * @param of.quarters in their order; the one before the first edge says how it began
 * @param of.edges when the periods begin, and at last the end of the last one; quarters lie whole in one period
 * @param of.before how full it was before the first quarter
 * @param of.now wall milliseconds: the last period ends no later
 */
export function decidePeriods(of: {
  quarters: readonly Quarter[];
  edges: readonly number[];
  before: number;
  now: number;
}): OccupancyPeriod[] {
  const { quarters, edges, now } = of;
  const periods: OccupancyPeriod[] = [];
  let next = 0;
  let count = quarters[0]?.first_count ?? of.before;
  for (const [index, from_ms] of edges.slice(0, -1).entries()) {
    const to_ms = Math.min(edges[index + 1] ?? now, now);
    let [min, max, area, at] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, from_ms];
    const pass = (until: number) => {
      if (until <= at) return;
      min = Math.min(min, count);
      max = Math.max(max, count);
      area += count * (until - at);
      at = until;
    };
    for (; (quarters[next]?.quarter ?? Number.POSITIVE_INFINITY) < to_ms; next++) {
      const quarter = quarters[next] as Quarter;
      const end = quarter.quarter + QUARTER_MS;
      if (quarter.quarter >= from_ms) {
        pass(quarter.quarter);
        min = Math.min(min, quarter.min_count);
        max = Math.max(max, quarter.max_count);
        // The part of this quarter that lies in the future counts like its end.
        area += quarter.area - quarter.last_count * Math.max(0, end - to_ms);
        at = Math.min(end, to_ms);
      }
      count = quarter.last_count;
    }
    pass(to_ms);
    if (to_ms > from_ms) periods.push({ from_ms, min, max, mean: area / (to_ms - from_ms) });
  }
  return periods;
}
