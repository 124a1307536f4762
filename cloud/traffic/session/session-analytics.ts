/** GET /v2/sessions/analytics: how many vehicles came, left and stayed, for how long and for how much (REST contract, "Sessions"). */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { commonStep, createPeriodFinder, type Period, periodEdges } from '../../../shared/periods.js';
import type { Db } from '../../kernel/store/entry.js';
import { majorUnits } from '../../../shared/currencies.js';
import { type Condition, inLocalDays, timezoneAsked } from '../../rest/entry.js';
import { SESSION_LIST } from './session-list.js';
import {
  type BegunSums,
  type Buckets,
  countEndedSessions,
  countOpenSessions,
  type SessionsAsked,
  sumBegunSessions,
} from './session-analytics-queries.js';

const DEFAULT_RANGE_MS = 30 * 24 * 3_600_000;
const PERIODS_MAX = 10_000;

export interface AnalyticsAsked extends SessionsAsked {
  group_by: Period;
  now: number;
}

/** Sums over the sessions that began in a range; the sums of the series add up to the totals. */
interface Sums {
  /** Seconds; null: none of them has ended. */
  average_duration: number | null;
  /** In `currency`; null: in several. */
  amount_paid: number | null;
}

export interface SessionAnalytics {
  timezone: string;
  /** The only currency of the sessions; null: they have none, or several. */
  currency: string | null;
  /** By currency, in their order. */
  amounts: { currency: string; amount_paid: number }[];
  totals: Sums & { sessions_count: number; open_count: number };
  series: (Sums & {
    period_start: string;
    entries_count: number;
    /** Counts all sessions that match the filters, also those that began before. */
    exits_count: number;
    /** Counts sessions that are open at the end of the period, also those that began before. */
    occupied_count: number;
  })[];
}

/** @throws ApiError for a range that ends before it begins, or has too many periods */
export async function sessionAnalytics(db: Db, asked: AnalyticsAsked): Promise<SessionAnalytics> {
  const inSessions = { ...asked, table: SESSION_LIST };
  const dated = await inLocalDays(db, inSessions);
  const timezone = dated.timezone ?? (await timezoneAsked(db, inSessions));
  const { from_ms, to_ms, conditions } = rangeOf(dated, asked.now);
  const sessions = { caller: asked.caller, conditions };
  const edges = periodEdges({ timezone, period: asked.group_by, from_ms, to_ms, periodsMax: PERIODS_MAX });
  if (edges === null) {
    throw new ApiError(VALIDATION, {
      field: 'group_by',
      message: `More than ${PERIODS_MAX} periods: ask for longer ones`,
    });
  }
  const buckets = { origin_ms: edges[0] ?? from_ms, step_ms: commonStep(edges), from_ms, to_ms };
  const begun = await sumBegunSessions(db, sessions, buckets);
  const ended = await countEndedSessions(db, sessions, buckets);
  const open = await countOpenSessions(db, sessions, from_ms);

  const periods = foldPeriods(edges, buckets, { begun, ended });
  const totals = addUp(begun);
  const currencies = [...totals.paid.keys()].toSorted();
  const shown = shownIn(currencies);
  let occupied = open;
  return {
    timezone,
    currency: currencies.length === 1 ? (currencies[0] ?? null) : null,
    amounts: currencies.map((currency) => ({ currency, amount_paid: paidIn(currency, totals) })),
    totals: { sessions_count: totals.begun, open_count: totals.begun - totals.ended, ...shown(totals) },
    series: periods.map(({ start, exits, ...sums }) => {
      occupied += sums.begun - exits;
      return {
        period_start: new Date(start).toISOString(),
        entries_count: sums.begun,
        exits_count: exits,
        occupied_count: occupied,
        ...shown(sums),
      };
    }),
  };
}

/** Separates the range, which the dates of the conditions give, from the conditions without dates. */
function rangeOf(
  { conditions }: Pick<SessionsAsked, 'conditions'>,
  now: number,
): { from_ms: number; to_ms: number; conditions: Condition[] } {
  const valuesOf = (name: 'date_from' | 'date_to') =>
    conditions.filter(({ field }) => field === name).flatMap(({ values }) => values);
  // A moment is in the range, and so is a day.
  const ends = valuesOf('date_to').map((at) => (typeof at === 'object' ? at.to_ms : Number(at) + 1));
  const begins = valuesOf('date_from').map((at) => (typeof at === 'object' ? at.from_ms : Number(at)));
  const to_ms = ends.length === 0 ? now + 1 : Math.min(...ends);
  const from_ms = begins.length === 0 ? to_ms - 1 - DEFAULT_RANGE_MS : Math.max(...begins);
  if (from_ms >= to_ms) throw new ApiError(VALIDATION, { field: 'date_from', message: 'Must not be after date_to' });
  return {
    from_ms,
    to_ms,
    conditions: conditions.filter(({ field }) => field !== 'date_from' && field !== 'date_to'),
  };
}

interface Amounts {
  begun: number;
  ended: number;
  seconds: number;
  /** By currency, in its minor units: currencies of sessions for which nothing was paid are there too. */
  paid: ReadonlyMap<string, number>;
}

const NOTHING: Amounts = { begun: 0, ended: 0, seconds: 0, paid: new Map() };

/** Adds the sums of each piece of time to the period that it lies in. */
function foldPeriods(
  edges: readonly number[],
  { origin_ms, step_ms }: Buckets,
  found: { begun: readonly BegunSums[]; ended: readonly { bucket: number; ended: number }[] },
): (Amounts & { start: number; exits: number })[] {
  const periods = edges.slice(0, -1).map((start) => ({ start, exits: 0, ...NOTHING }));
  const periodOf = createPeriodFinder(edges);
  for (const { bucket, ...sums } of found.begun) {
    const period = periods[periodOf(origin_ms + bucket * step_ms)];
    if (period !== undefined) Object.assign(period, added(period, sums));
  }
  for (const { bucket, ended } of found.ended) {
    const period = periods[periodOf(origin_ms + bucket * step_ms)];
    if (period !== undefined) period.exits += ended;
  }
  return periods;
}

type CurrencySums = Omit<BegunSums, 'bucket'>;

const addUp = (all: readonly CurrencySums[]): Amounts => all.reduce(added, NOTHING);

function added(a: Amounts, b: CurrencySums): Amounts {
  const { currency } = b;
  return {
    begun: a.begun + b.begun,
    ended: a.ended + b.ended,
    seconds: a.seconds + b.seconds,
    paid: currency === null ? a.paid : new Map([...a.paid, [currency, (a.paid.get(currency) ?? 0) + b.paid]]),
  };
}

const paidIn = (currency: string, { paid }: Amounts): number => majorUnits(paid.get(currency) ?? 0, currency);

/** Money of several currencies is not added up. */
const shownIn =
  ([currency, ...others]: readonly string[]) =>
  (amounts: Amounts): Sums => ({
    average_duration: averageDuration(amounts.seconds, amounts.ended),
    amount_paid: currency === undefined ? 0 : others.length > 0 ? null : paidIn(currency, amounts),
  });

/** Computes the average in whole seconds; null when nothing has ended. */
export const averageDuration = (seconds: number, ended: number): number | null =>
  ended === 0 ? null : Math.round(seconds / ended);
