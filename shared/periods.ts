/** Hours, days, weeks and months in the local time of a car park. Daylight saving makes some of them longer or shorter. */
import { zoneOffsets } from './zone-offsets.js';
import { DAY_MS, HOUR_MS } from './durations.js';

export const PERIODS = ['hour', 'day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** All zones are whole quarters of an hour from UTC. */
const QUARTER_MS = 15 * 60_000;

/** Local time is never further ahead of UTC than this. */
const OFFSET_MAX_MS = 15 * HOUR_MS;
/** 1 January 1970 was a Thursday. */
const EPOCH_WEEKDAY = 3;

/**
 * Lists when the periods that cover a range begin, in order: the first at or before `from_ms`, the last before `to_ms`. The list ends
 * with the time at which the last period ends. Weeks begin on Monday.
 * @param range.timezone IANA name
 * @param range.to_ms after `from_ms`; the range ends just before it
 * @param range.periodsMax the result is null when there would be more
 */
export function periodEdges(range: {
  timezone: string;
  period: Period | 'quarter';
  from_ms: number;
  to_ms: number;
  periodsMax: number;
}): number[] | null {
  const { from_ms, to_ms, periodsMax } = range;
  const edges: number[] = [];
  for (const edge of edgesOf(range)) {
    if (edge <= from_ms) edges[0] = edge;
    else if (edge > (edges.at(-1) ?? 0)) edges.push(edge);
    if (edge >= to_ms) return edges;
    if (edges.length > periodsMax) return null;
  }
  return edges;
}

function edgesOf(range: { timezone: string; period: Period | 'quarter'; from_ms: number }): Iterable<number> {
  const { period, from_ms } = range;
  if (period === 'quarter') return quarters(from_ms);
  return period === 'hour' ? hours(range) : dates({ ...range, period });
}

function* quarters(from_ms: number): Generator<number> {
  for (let at = Math.floor(from_ms / QUARTER_MS) * QUARTER_MS; ; at += QUARTER_MS) yield at;
}

/** Yields the hours that clocks show. When clocks are put back they show one hour twice, which counts as two hours. */
function* hours({ timezone, from_ms }: { timezone: string; from_ms: number }): Generator<number> {
  const offsets = zoneOffsets(timezone);
  const hourOf = (ms: number) => Math.floor((ms + offsets(ms).offset_ms) / HOUR_MS);
  for (let from = from_ms - 3 * HOUR_MS; ; ) {
    const { offset_ms, until_ms } = offsets(from);
    const first = Math.ceil((from + offset_ms) / HOUR_MS) * HOUR_MS - offset_ms;
    // When clocks are put forward they may skip the beginning of an hour.
    if (first > from && hourOf(from) !== hourOf(from - 1)) yield from;
    for (let at = first; at < until_ms; at += HOUR_MS) yield at;
    from = until_ms;
  }
}

function* dates({
  timezone,
  period,
  from_ms,
}: {
  timezone: string;
  period: Period;
  from_ms: number;
}): Generator<number> {
  const local = from_ms + zoneOffsets(timezone)(from_ms).offset_ms;
  const day = Math.floor(local / DAY_MS);
  if (period === 'month') {
    const date = new Date(local);
    for (let month = date.getUTCMonth(); ; month++) {
      yield firstInstant(timezone, Date.UTC(date.getUTCFullYear(), month, 1));
    }
  }
  const days = period === 'week' ? 7 : 1;
  const first = period === 'week' ? day - ((((day + EPOCH_WEEKDAY) % 7) + 7) % 7) : day;
  for (let next = first; ; next += days) yield firstInstant(timezone, next * DAY_MS);
}

/** Finds when a day begins and ends in local time. @param date_ms the midnight of its date in UTC. @returns `to_ms` just after the day */
export function dayBounds(timezone: string, date_ms: number): { from_ms: number; to_ms: number } {
  return { from_ms: firstInstant(timezone, date_ms), to_ms: firstInstant(timezone, date_ms + DAY_MS) };
}

/** Finds the first moment at which clocks show this time or a later one. */
function firstInstant(timezone: string, local_ms: number): number {
  const offsets = zoneOffsets(timezone);
  for (let from = local_ms - OFFSET_MAX_MS; ; ) {
    const { offset_ms, until_ms } = offsets(from);
    const at = local_ms - offset_ms;
    if (at <= from) return from;
    if (at < until_ms) return at;
    from = until_ms;
  }
}

/** Returns the function that finds the index of the period that a time lies in. @param edges as `periodEdges` lists them */
export function createPeriodFinder(edges: readonly number[]): (ms: number) => number {
  return (ms) => {
    let low = 0;
    let high = edges.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((edges[middle] ?? 0) <= ms) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}

/**
 * Finds the widest step, in milliseconds, that reaches every edge when it is repeated from the first one. Everything between two steps
 * is then in one period.
 */
export function commonStep(edges: readonly number[]): number {
  const [first = 0, ...others] = edges;
  return others.map((edge) => edge - first).reduce(greatestCommonDivisor, 0);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
