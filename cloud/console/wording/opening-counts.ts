/** Counts of openings, laid on the hours of a plot and summed up by gate. */

export interface HourlyCount {
  product_id: number;
  /** ISO; null: counted by the hour of the day. */
  period_start: string | null;
  hour: number | null;
  openings_count: number;
  failed_count: number;
}

/** The openings at each point of a plot, and those of them that failed. */
export interface CountSeries {
  asked: number[];
  failed: number[];
}

const empty = (length: number): CountSeries => ({
  asked: Array.from({ length }, () => 0),
  failed: Array.from({ length }, () => 0),
});

function addTo(series: CountSeries, at: number | undefined, { openings_count, failed_count }: HourlyCount): void {
  if (at === undefined || at < 0 || at >= series.asked.length) return;
  series.asked[at] = (series.asked[at] ?? 0) + openings_count;
  series.failed[at] = (series.failed[at] ?? 0) + failed_count;
}

/** @param starts when the hours begin, in milliseconds since 1970 */
export function countsByHour(counts: readonly HourlyCount[], starts: readonly number[]): CountSeries {
  const places = new Map(starts.map((start, at) => [start, at]));
  const series = empty(starts.length);
  for (const count of counts) {
    if (count.period_start !== null) addTo(series, places.get(Date.parse(count.period_start)), count);
  }
  return series;
}

export const HOURS_OF_DAY = 24;

export function countsByHourOfDay(counts: readonly HourlyCount[]): CountSeries {
  const series = empty(HOURS_OF_DAY);
  for (const count of counts) addTo(series, count.hour ?? undefined, count);
  return series;
}

export interface GateCount {
  product_id: number;
  asked: number;
  failed: number;
  /** The hour of the day with the most. */
  busiest: number;
}

/** The gates with the most openings first. @param counts by the hour of the day */
export function countsByGate(counts: readonly HourlyCount[]): GateCount[] {
  const gates = new Map<number, GateCount & { most: number }>();
  for (const { product_id, hour, openings_count, failed_count } of counts) {
    const before = gates.get(product_id) ?? { product_id, asked: 0, failed: 0, busiest: 0, most: 0 };
    const isBusier = openings_count > before.most;
    gates.set(product_id, {
      product_id,
      asked: before.asked + openings_count,
      failed: before.failed + failed_count,
      busiest: isBusier ? (hour ?? 0) : before.busiest,
      most: isBusier ? openings_count : before.most,
    });
  }
  return Array.from(gates.values(), ({ most: _most, ...gate }) => gate).toSorted((a, b) => b.asked - a.asked);
}
