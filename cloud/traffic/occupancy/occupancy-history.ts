/** How full a zone or a place was, in the periods of a plot, cut in the time zone of its lot. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { beginOf, endOf, iso, type MomentOrDate } from '../../rest/entry.js';
import { countsOfZones, recountsOfZone, timezoneOfLot } from '../../site/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { periodEdges } from '../../../shared/periods.js';
import { decidePeriods, type Quarter } from './decide-quarter.js';
import { createSessionFold } from './decide-session-quarters.js';
import { readQuarters, readStays } from './occupancy-history-queries.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';

export const STEPS = ['quarter', 'hour', 'day'] as const;

/** How long the history is kept. */
export const HISTORY_KEPT_MS = 366 * DAY_MS;
const DEFAULT_RANGE_MS = { quarter: DAY_MS, hour: DAY_MS, day: 30 * DAY_MS };
const PERIODS_MAX = 40_000;
/** Before the first change that a sensor reported, nothing counts as occupied: how full a zone is today says nothing of a year ago. */
const NEVER_RECORDED = 0;

export interface HistoryAsked {
  from?: MomentOrDate | undefined;
  to?: MomentOrDate | undefined;
  step: (typeof STEPS)[number];
  now: number;
}

interface Cut {
  timezone: string;
  edges: number[];
}

export async function historyOfZone(db: Db, zone: Row<'zones'>, asked: HistoryAsked) {
  const { timezone, edges } = await cut(db, zone.lot_id, asked);
  const { sensors } = (await countsOfZones(db, [zone], asked.now)).get(zone.id) ?? { sensors: null };
  const quarters =
    sensors === null
      ? await sessionQuarters(db, zone, { edges, now: asked.now })
      : await readQuarters(db, { owner: 'zone', owner_id: zone.id }, rangeOf(edges));
  const periods = decidePeriods({ quarters, edges, before: NEVER_RECORDED, now: asked.now });
  return {
    timezone,
    spot_count: zone.spot_count,
    series: periods.map(({ from_ms, min, mean, max }) => ({
      period_start: iso(from_ms),
      min_occupied: min,
      mean_occupied: rounded(mean),
      max_occupied: max,
    })),
  };
}

export async function historyOfPlace(db: Db, place: Row<'parking_places'>, asked: HistoryAsked) {
  const { timezone, edges } = await cut(db, place.lot_id, asked);
  const quarters = await readQuarters(db, { owner: 'place', owner_id: place.id }, rangeOf(edges));
  const periods = decidePeriods({ quarters, edges, before: NEVER_RECORDED, now: asked.now });
  return {
    timezone,
    series: periods.map(({ from_ms, mean }) => ({
      period_start: iso(from_ms),
      occupied_share: rounded(mean),
    })),
  };
}

/** @throws ApiError VALIDATION for a range that is empty or too long */
async function cut(db: Db, lot_id: number, asked: HistoryAsked): Promise<Cut> {
  const { step: period, now } = asked;
  const timezone = await timezoneOfLot(db, lot_id);
  const end = asked.to === undefined ? now : endOf(asked.to, timezone);
  const from_ms = asked.from === undefined ? end - DEFAULT_RANGE_MS[period] : beginOf(asked.from, timezone);
  if (from_ms >= end) throw new ApiError(VALIDATION, { field: 'to', message: 'Must be after from' });
  if (end - from_ms > HISTORY_KEPT_MS) {
    throw new ApiError(VALIDATION, { field: 'from', message: 'Must be at most 366 days before to' });
  }
  const to_ms = Math.min(end, now);
  if (from_ms >= to_ms) return { timezone, edges: [] };
  return { timezone, edges: periodEdges({ timezone, period, from_ms, to_ms, periodsMax: PERIODS_MAX }) ?? [] };
}

const rangeOf = (edges: readonly number[]) => ({ from: edges[0] ?? 0, to: edges.at(-1) ?? 0 });

async function sessionQuarters(
  db: Db,
  zone: Row<'zones'>,
  { edges, now }: { edges: readonly number[]; now: number },
): Promise<Quarter[]> {
  const { from, to } = rangeOf(edges);
  const longest_ms = zone.occupancy_max_hours * HOUR_MS;
  const recounts = await recountsOfZone(db, { ...zone, until: to });
  const fold = createSessionFold({ recounts, longest_ms, until: now });
  for await (const stays of readStays(db, { zone, from: from - longest_ms, to })) {
    fold.add(stays, stays.at(-1)?.began_ms ?? 0);
  }
  return fold.quarters();
}

/** A plot needs no more periods. */
const rounded = (mean: number): number => Math.round(mean * 1_000) / 1_000;
