/** A day as a small plot: the points of its line. */
import { dayBounds } from '../../../shared/periods.js';
import { dayAt } from '../wording/analytics-range.js';
import { momentAt } from '../wording/lot-time.js';

export interface Period {
  period_start: string;
  mean_occupied: number;
  max_occupied: number;
}

/** Adds up what several zones had in the same periods. The largest numbers of zones need not have been at the same moment. */
export function sumOf(series: readonly (readonly Period[])[]): Period[] {
  const sums = new Map<string, Period>();
  for (const { period_start, mean_occupied, max_occupied } of series.flat()) {
    const before = sums.get(period_start) ?? { period_start, mean_occupied: 0, max_occupied: 0 };
    sums.set(period_start, {
      period_start,
      mean_occupied: before.mean_occupied + mean_occupied,
      max_occupied: before.max_occupied + max_occupied,
    });
  }
  return [...sums.values()].toSorted((a, b) => Date.parse(a.period_start) - Date.parse(b.period_start));
}

export interface SparkLine {
  /** Of `<path d>`: the line of the means, and the ground below it. */
  line: string;
  ground: string;
  /** Where the full lot would be; null: it has no limit, or the line is far below it. */
  full: number | null;
  /** The greatest mean, and when. */
  most: { count: number; at: string } | null;
}

/**
 * @param day milliseconds since 1970: its beginning and its end, of which the part that is to come stays empty
 * @param box in which it is drawn. @param spots 0: without a limit
 */
export function sparkLine(
  periods: readonly Period[],
  { day, box, spots }: { day: { start: number; end: number }; box: { width: number; height: number }; spots: number },
): SparkLine {
  const most = periods.reduce<Period | null>(
    (best, each) => (best === null || each.mean_occupied > best.mean_occupied ? each : best),
    null,
  );
  const greatest = most?.mean_occupied ?? 0;
  // Half a lot's places are worth a line of half the height; an empty lot's is flat.
  const scale = Math.max(1, spots > 0 ? spots : greatest * 1.25, greatest);
  const x = (ms: number) => round(((ms - day.start) / (day.end - day.start)) * box.width);
  const y = (count: number) => round(box.height - (count / scale) * box.height);
  const points = periods.map((each) => [x(Date.parse(each.period_start)), y(each.mean_occupied)] as const);
  const line = points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${px} ${py}`).join('');
  const [first, last] = [points[0], points.at(-1)];
  return {
    line,
    ground:
      first === undefined || last === undefined ? '' : `${line}L${last[0]} ${box.height}L${first[0]} ${box.height}Z`,
    full: spots > 0 ? y(spots) : null,
    most: most === null ? null : { count: Math.round(most.mean_occupied), at: most.period_start },
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The hours that the plot marks; the first and the last are its edges. */
const MARKED = ['T06:00', 'T12:00', 'T18:00'];

/**
 * The day of a lot in which a moment is. It has 23 or 25 hours when the clocks change.
 * @param now milliseconds since 1970. @returns its beginning and its end, and where in it 0, 6, 12, 18 and 24 o'clock are, from 0 to 1
 */
export function dayOf(now: number, timezone: string): { start: number; end: number; hours: number[] } {
  const date = dayAt(now, timezone);
  const { from_ms: start, to_ms: end } = dayBounds(timezone, Date.parse(`${date}T00:00:00Z`));
  const hours = MARKED.map((time) => (Date.parse(momentAt(date + time, timezone) ?? '') - start) / (end - start));
  return { start, end, hours: [0, ...hours, 1] };
}
