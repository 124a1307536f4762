/** GET /v2/openings/counts: how often each product was asked to move, by the hours of a range or by the hour of the day. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { commonStep, createPeriodFinder, periodEdges } from '../../../shared/periods.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';
import type { Db } from '../../kernel/store/entry.js';
import {
  beginOf,
  endOf,
  type ExportAsked,
  inLocalDays,
  isoTime,
  type MomentOrDate,
  timezoneAsked,
} from '../../rest/entry.js';
import { hourOfDay, type HourCount, pieceOfTime, sumOpenings } from './opening-count-queries.js';
import { OPENING_LIST } from './opening-list.js';

export const COUNT_GROUPS = ['hour', 'hour_of_day'] as const;
type CountGroup = (typeof COUNT_GROUPS)[number];

const RANGE_DEFAULT_MS = 7 * DAY_MS;
/** Hours one by one are for plots of days; the hours of the day are few, however long the range is. */
const RANGE_MAX_DAYS: Readonly<Record<CountGroup, number>> = { hour: 31, hour_of_day: 366 };
/** More counts than that is no answer for people: few hundred products move in every hour of a month. */
export const COUNTS_MAX = 20_000;

export interface CountsAsked extends ExportAsked {
  group: CountGroup;
  from?: MomentOrDate | undefined;
  to?: MomentOrDate | undefined;
  /** Wall milliseconds. */
  now: number;
}

export interface OpeningCounts {
  timezone: string;
  counts: {
    product_id: number;
    period_start: string | null;
    hour: number | null;
    openings_count: number;
    failed_count: number;
  }[];
}

/** @throws ApiError for a range that ends before it begins, is too long, or has too many counts */
export async function countOpenings(db: Db, asked: CountsAsked): Promise<OpeningCounts> {
  const inList = { ...asked, table: OPENING_LIST };
  const timezone = await timezoneAsked(db, inList);
  const { conditions } = await inLocalDays(db, inList);
  const range = rangeOf(asked, timezone);
  const rows = { caller: asked.caller, conditions };
  const counts =
    asked.group === 'hour'
      ? await byHour(db, rows, { ...range, timezone })
      : await byHourOfDay(db, rows, range, timezone);
  return { timezone, counts };
}

function rangeOf({ group, from, to, now }: CountsAsked, timezone: string): { from_ms: number; to_ms: number } {
  const to_ms = to === undefined ? now + 1 : endOf(to, timezone) + (typeof to === 'number' ? 1 : 0);
  const from_ms = from === undefined ? to_ms - 1 - RANGE_DEFAULT_MS : beginOf(from, timezone);
  const refuse = (message: string) => new ApiError(VALIDATION, { field: 'from', message });
  if (from_ms >= to_ms) throw refuse('Must not be after to');
  const days = RANGE_MAX_DAYS[group];
  // The day on which clocks are put back has an hour more.
  if (to_ms - from_ms > days * DAY_MS + 2 * HOUR_MS) throw refuse(`Must not be more than ${days} days before to`);
  return { from_ms, to_ms };
}

async function byHour(
  db: Db,
  rows: ExportAsked,
  range: { from_ms: number; to_ms: number; timezone: string },
): Promise<OpeningCounts['counts']> {
  const edges = periodEdges({ ...range, period: 'hour', periodsMax: Number.MAX_SAFE_INTEGER }) ?? [];
  const [origin_ms = range.from_ms] = edges;
  const step_ms = commonStep(edges) || HOUR_MS;
  const found = limited(
    await sumOpenings(db, rows, { ...range, piece: pieceOfTime(origin_ms, step_ms), most: COUNTS_MAX }),
  );
  const periodOf = createPeriodFinder(edges);
  const sums = new Map<string, OpeningCounts['counts'][number]>();
  for (const { product_id, piece, openings_count, failed_count } of found) {
    const start = edges[periodOf(origin_ms + piece * step_ms)] ?? origin_ms;
    const key = `${product_id} ${start}`;
    const before = sums.get(key);
    sums.set(key, {
      product_id,
      period_start: isoTime(start),
      hour: null,
      openings_count: openings_count + (before?.openings_count ?? 0),
      failed_count: failed_count + (before?.failed_count ?? 0),
    });
  }
  return [...sums.values()];
}

async function byHourOfDay(
  db: Db,
  rows: ExportAsked,
  range: { from_ms: number; to_ms: number },
  timezone: string,
): Promise<OpeningCounts['counts']> {
  const found = limited(await sumOpenings(db, rows, { ...range, piece: hourOfDay(range, timezone), most: COUNTS_MAX }));
  return found.map(({ piece, ...count }) => ({ ...count, hour: piece, period_start: null }));
}

function limited(found: HourCount[]): HourCount[] {
  if (found.length <= COUNTS_MAX) return found;
  const message = `More than ${COUNTS_MAX} counts: ask for a shorter time, or for fewer products`;
  throw new ApiError(VALIDATION, { field: 'from', message });
}
