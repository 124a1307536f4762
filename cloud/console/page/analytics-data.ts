/** What the analytics view shows, read over REST and laid into the periods of its plots. */
import type { components } from '@parking-gateway/client';
import { dayBounds } from '../../../shared/periods.js';
import { daysIn, type DayRange, type Occupied, occupiedIn } from '../wording/analytics-range.js';
import { client, totalOf } from './session.js';
import { zones } from './store.js';

type Schemas = components['schemas'];
type Summary = Schemas['SessionAnalytics'];
export type Vehicle = Schemas['Vehicle'];

export interface AnalyticsAsked {
  range: DayRange;
  step: 'hour' | 'day' | 'week' | 'month';
  /** Ids as text; empty: all. */
  lot: string;
  zone: string;
  timezone: string;
}

export interface Analytics {
  timezone: string;
  currency: string | null;
  amounts: Summary['amounts'];
  totals: Summary['totals'];
  /** When the periods begin, milliseconds since 1970. */
  starts: number[];
  entries: (number | null)[];
  exits: (number | null)[];
  /** Seconds. */
  durations: (number | null)[];
  paid: (number | null)[];
  occupied: (number | null)[];
  /** Between what the one zone's occupancy moved. */
  span: { low: (number | null)[]; high: (number | null)[] } | null;
  /** Places there are; 0: no limit. */
  spots: number;
  /** Those that came most often, the most frequent first. */
  vehicles: Vehicle[];
  vehiclesCount: number;
}

/** Their history is asked for one by one: of more zones what their sessions tell is shown. */
const ZONES_MAX = 12;
/** The service keeps that of the last year. */
const HISTORY_DAYS_MAX = 365;
const PAGE = 300;
const PAGES_MAX = 10;

/** @throws ParkingError */
export async function readAnalytics(asked: AnalyticsAsked, signal: AbortSignal): Promise<Analytics> {
  const { range, step } = asked;
  const filter = placeFilter(asked);
  const [summary, histories, vehicles] = await Promise.all([
    client().get('/v2/sessions/analytics', {
      query: { filter, date_from: range.from, date_to: range.to, group_by: step },
      signal,
    }),
    readHistories(asked, signal),
    readVehicles([...filter, `date_from:eq:${range.from}`, `date_to:eq:${range.to}`], signal),
  ]);
  const starts = summary.series.map(({ period_start }) => Date.parse(period_start));
  const now = Date.now();
  /** What is still to come of the last day has nothing to show. */
  const known = <Value>(values: Value[]) => values.map((value, at) => ((starts[at] ?? 0) > now ? null : value));
  const occupied =
    histories === null
      ? null
      : occupiedIn(
          starts,
          histories.map(({ series }) => series),
        );
  const one = histories?.length === 1 ? occupied : null;
  const { timezone, currency, amounts, totals, series } = summary;
  return {
    timezone,
    currency,
    amounts,
    totals,
    starts,
    entries: known(series.map(({ entries_count }) => entries_count)),
    exits: known(series.map(({ exits_count }) => exits_count)),
    durations: known(series.map(({ average_duration }) => average_duration)),
    paid: known(series.map(({ amount_paid }) => amount_paid)),
    occupied:
      occupied === null
        ? known(series.map(({ occupied_count }) => occupied_count))
        : occupied.map((period) => period?.mean ?? null),
    span:
      one === null || one === undefined
        ? null
        : { low: one.map((period) => period?.min ?? null), high: one.map((period) => period?.max ?? null) },
    spots: spotsOf(histories ?? []),
    ...vehicles,
  };
}

export const placeFilter = ({ lot, zone }: { lot: string; zone: string }): string[] => [
  ...(lot === '' ? [] : [`lot_id:eq:${lot}`]),
  ...(zone === '' ? [] : [`zone_id:eq:${zone}`]),
];

const spotsOf = (histories: readonly { spots: number }[]): number =>
  histories.some(({ spots }) => spots === 0) ? 0 : histories.reduce((sum, { spots }) => sum + spots, 0);

/** @returns null when it would be too many questions, or is not kept any more */
async function readHistories(
  { range, step, lot, zone, timezone }: AnalyticsAsked,
  signal: AbortSignal,
): Promise<{ spots: number; series: Occupied[] }[] | null> {
  const own = zones.value.filter(
    ({ id, lot_id }) => (lot === '' || String(lot_id) === lot) && (zone === '' || String(id) === zone),
  );
  const from = dayBounds(timezone, Date.parse(`${range.from}T00:00:00Z`)).from_ms;
  const to = dayBounds(timezone, Date.parse(`${range.to}T00:00:00Z`)).to_ms;
  if (own.length === 0 || own.length > ZONES_MAX || daysIn(range) > HISTORY_DAYS_MAX || from >= Date.now()) return null;
  return Promise.all(
    own.map(async ({ id }) => {
      const { spot_count, series } = await client().get('/v2/zones/{id}/occupancy', {
        path: { id },
        query: {
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          step: step === 'hour' ? 'hour' : 'day',
        },
        signal,
      });
      return {
        spots: spot_count,
        series: series.map(({ period_start, min_occupied, mean_occupied, max_occupied }) => ({
          start: Date.parse(period_start),
          min: min_occupied,
          mean: mean_occupied,
          max: max_occupied,
        })),
      };
    }),
  );
}

/** All that came more than once, or as many as a few questions give: the others came once. */
async function readVehicles(
  filter: string[],
  signal: AbortSignal,
): Promise<Pick<Analytics, 'vehicles' | 'vehiclesCount'>> {
  const vehicles: Vehicle[] = [];
  let vehiclesCount = 0;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const { data, meta } = await client().request('get', '/v2/sessions/vehicle-analytics', {
      query: { filter, sort: 'visits_count:desc', size: PAGE, page },
      signal,
    });
    vehicles.push(...data);
    vehiclesCount = totalOf(meta) ?? vehicles.length;
    if ((data.at(-1)?.visits_count ?? 1) < 2 || vehicles.length >= vehiclesCount) break;
  }
  return { vehicles, vehiclesCount };
}
