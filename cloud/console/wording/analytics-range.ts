/** Which days the analytics show, in which periods, and what they are compared with. Pure. */
import { zoneOffsets } from '../../../shared/zone-offsets.js';
import type { Period } from '../../../shared/periods.js';
import { DAY_MS } from '../../../shared/durations.js';

/** What is shown when nothing is asked for: whole weeks, so that the days of the week weigh the same. */
const DAYS_USUAL = 28;
/** Ten years. */
const DAYS_MAX = 3_660;

/** Local days of the car park, `2026-11-23`; both are shown. */
export interface DayRange {
  from: string;
  to: string;
}

/** Longer ranges are not cut into these periods: nobody could tell them apart. */
export const STEP_DAYS_MAX: Readonly<Record<Period, number>> = { hour: 31, day: 731, week: DAYS_MAX, month: DAYS_MAX };
/** From how many days on longer periods are better to read. */
const STEP_DAYS_USUAL: Readonly<Record<Period, number>> = { hour: 3, day: 100, week: 731, month: DAYS_MAX };

const STEPS: readonly Period[] = ['hour', 'day', 'week', 'month'];

const COMPARISONS = ['before', 'week', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

const msOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const addDays = (day: string, days: number): string => dayOf(msOf(day) + days * DAY_MS);

export const daysIn = ({ from, to }: DayRange): number => Math.round((msOf(to) - msOf(from)) / DAY_MS) + 1;

/** Milliseconds since 1970 as a clock of the time zone shows them, read as UTC. */
export const localMs = (ms: number, timezone: string): number => ms + zoneOffsets(timezone)(ms).offset_ms;

/** The local day of a moment. */
export const dayAt = (ms: number, timezone: string): string => dayOf(localMs(ms, timezone));

const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(msOf(text)) && dayOf(msOf(text)) === text;

/** The days that an address names: anything else in it is read as the usual range. @param today the local day */
export function rangeOf(asked: { from: string | null; to: string | null }, today: string): DayRange {
  const to = isDay(asked.to) ? asked.to : today;
  const from = isDay(asked.from) ? asked.from : addDays(to, 1 - DAYS_USUAL);
  const [first, last] = from <= to ? [from, to] : [to, from];
  return { from: daysIn({ from: first, to: last }) > DAYS_MAX ? addDays(last, 1 - DAYS_MAX) : first, to: last };
}

/** The periods into which a range can be cut. */
export const stepsFor = (days: number): Period[] => STEPS.filter((step) => days <= STEP_DAYS_MAX[step]);

/** @param wanted of the address; what does not fit the range is not taken */
export function stepOf(wanted: string | null, days: number): Period {
  const known = stepsFor(days).find((step) => step === wanted);
  return known ?? STEPS.find((step) => days <= STEP_DAYS_USUAL[step]) ?? 'month';
}

export const comparisonOf = (text: string | null): Comparison | null =>
  COMPARISONS.find((each) => each === text) ?? null;

/**
 * What a range is compared with: as many days, whole weeks earlier, so that Mondays are laid over Mondays.
 * `before` is the nearest such range that does not overlap, `week` the week before, `year` 52 weeks before.
 */
export function comparedWith(range: DayRange, comparison: Comparison): { range: DayRange; shiftDays: number } {
  const weeks = { before: Math.ceil(daysIn(range) / 7), week: 1, year: 52 }[comparison];
  const shiftDays = weeks * 7;
  return { range: { from: addDays(range.from, -shiftDays), to: addDays(range.to, -shiftDays) }, shiftDays };
}

/**
 * Lays values of an earlier range over the periods of a later one. Hours are found by the local clock, because daylight saving gives a
 * day 23 or 25 of them; longer periods by their order.
 * @param starts when the periods begin, milliseconds since 1970
 */
export function laidOver<Value>(
  starts: readonly number[],
  earlier: { starts: readonly number[]; values: readonly Value[] },
  { step, timezone, shiftDays }: { step: Period; timezone: string; shiftDays: number },
): (Value | null)[] {
  if (step !== 'hour') return starts.map((_, at) => earlier.values[at] ?? null);
  const byHour = new Map(earlier.starts.map((start, at) => [localMs(start, timezone), earlier.values[at]]));
  return starts.map((start) => byHour.get(localMs(start, timezone) - shiftDays * DAY_MS) ?? null);
}

export interface Occupied {
  start: number;
  min: number;
  mean: number;
  max: number;
}

/**
 * Adds up the histories of zones and cuts them into the periods of the plots.
 * @returns for each period what was occupied on average, and of one zone alone its least and most; null where nothing is known
 */
export function occupiedIn(
  starts: readonly number[],
  zones: readonly (readonly Occupied[])[],
): ({ mean: number; min: number | null; max: number | null } | null)[] {
  const found = starts.map(() => zones.map(() => ({ count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: 0 })));
  for (const [zone, history] of zones.entries()) {
    let at = 0;
    for (const { start, min, mean, max } of history) {
      while (at + 1 < starts.length && (starts[at + 1] ?? 0) <= start) at += 1;
      const sums = found[at]?.[zone];
      if (sums === undefined || start < (starts[at] ?? 0)) continue;
      sums.count += 1;
      sums.sum += mean;
      sums.min = Math.min(sums.min, min);
      sums.max = Math.max(sums.max, max);
    }
  }
  return found.map((period) => {
    const [first] = period;
    if (first === undefined || period.some(({ count }) => count === 0)) return null;
    const mean = period.reduce((sum, each) => sum + each.sum / each.count, 0);
    return period.length === 1 ? { mean, min: first.min, max: first.max } : { mean, min: null, max: null };
  });
}

/** From coarse to fine: which periods get a mark on the axis. */
const MARKS: Readonly<Record<Period, readonly ((local: Date) => boolean)[]>> = {
  hour: [1, 3, 6, 12, 24].map((hours) => (local: Date) => local.getUTCHours() % hours === 0),
  day: [
    () => true,
    (local) => local.getUTCDay() === 1,
    (local) => local.getUTCDate() === 1,
    (local) => local.getUTCDate() === 1 && local.getUTCMonth() % 3 === 0,
  ],
  week: [
    () => true,
    (local) => local.getUTCDate() <= 7,
    (local) => local.getUTCDate() <= 7 && local.getUTCMonth() === 0,
  ],
  month: [() => true, (local) => local.getUTCMonth() % 3 === 0, (local) => local.getUTCMonth() === 0],
};

/** The places of periods that are marked on an axis with room for `most`: days, Mondays, firsts, as many as there is room for. */
export function marksOf(starts: readonly number[], step: Period, timezone: string, most: number): number[] {
  let marks = starts.map((_, at) => at);
  for (const isMark of MARKS[step]) {
    const next = marks.filter((at) => isMark(new Date(localMs(starts[at] ?? 0, timezone))));
    if (next.length > 0) marks = next;
    if (marks.length <= most) return marks;
  }
  const every = Math.ceil(marks.length / Math.max(1, most));
  return marks.filter((_, at) => at % every === 0);
}

/** How many vehicles came how often. @param visits of the vehicles that came more than once; `total` counts all vehicles */
export function visitGroups(
  visits: readonly number[],
  total: number,
): { least: number; most: number | null; count: number }[] {
  const groups = [
    { least: 1, most: 1 },
    { least: 2, most: 2 },
    { least: 3, most: 3 },
    { least: 4, most: 6 },
    { least: 7, most: 12 },
    { least: 13, most: null },
  ];
  const more = visits.filter((count) => count > 1);
  return groups.map(({ least, most }) => ({
    least,
    most,
    count:
      least === 1
        ? Math.max(0, total - more.length)
        : more.filter((count) => count >= least && count <= (most ?? Number.POSITIVE_INFINITY)).length,
  }));
}
