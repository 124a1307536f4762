/** Counts the vehicles in zones: by sensors where any sensor has reported something, otherwise by open sessions. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Db, Row } from '../../kernel/store/entry.js';
import { occupiedCountOf, type ZoneCounts } from './decide-drift.js';
import { type CountedZone, departures, extrasEnd } from './departure-queries.js';
import { HOUR_MS } from '../../../shared/durations.js';

interface SensorCount {
  zone_id: number;
  parking_gateway_id: number;
  occupied_count: number;
  /** Whether any of these sensors has ever reported something. */
  is_heard: boolean;
}

/** Counts the occupied places with sensors per zone and parking gateway. Zones without sensors are left out. */
export async function sensorCountsOfLot(db: Db, lot_id: number): Promise<SensorCount[]> {
  const rows = await db
    .selectFrom('parking_places')
    .select(['zone_id', 'parking_gateway_id'])
    .select((eb) => [occupiedSum(eb).as('occupied_count'), eb.fn.count<number | string>('first_heard_at').as('heard')])
    .where('lot_id', '=', lot_id)
    .where('parking_gateway_id', 'is not', null)
    .where('sensor', 'is not', null)
    .groupBy(['zone_id', 'parking_gateway_id'])
    .orderBy('zone_id')
    .orderBy('parking_gateway_id')
    .execute();
  return rows.map(({ zone_id, parking_gateway_id, occupied_count, heard }) => ({
    zone_id,
    parking_gateway_id: Number(parking_gateway_id),
    occupied_count: Number(occupied_count),
    is_heard: Number(heard) > 0 || Number(occupied_count) > 0,
  }));
}

function occupiedSum(eb: ExpressionBuilder<Database, 'parking_places'>) {
  return eb.fn.sum<number | string>(eb.case().when('occupancy_status', '=', 'occupied').then(1).else(0).end());
}

/** Counts the vehicles in the zones by sensors and by sessions. @param now wall milliseconds */
export async function countsOfZones(
  db: Db,
  zones: readonly Pick<Row<'zones'>, 'id'>[],
  now: number,
): Promise<Map<number, ZoneCounts>> {
  if (zones.length === 0) return new Map();
  const ids = zones.map(({ id }) => id);
  const sensors = await db
    .selectFrom('parking_places')
    .select((eb) => ['zone_id', occupiedSum(eb).as('count')])
    // Places whose sensors have never reported are left out. Otherwise they would count as free.
    .where((eb) => eb.or([eb('first_heard_at', 'is not', null), eb('occupancy_status', '=', 'occupied')]))
    .where('zone_id', 'in', ids)
    .where('parking_gateway_id', 'is not', null)
    .where('sensor', 'is not', null)
    .groupBy('zone_id')
    .execute();
  const sessions = await countedSessions(db, now)
    .select(({ fn }) => ['sessions.zone_id', fn.countAll<number | string>().as('count')])
    .where('sessions.zone_id', 'in', ids)
    .groupBy('sessions.zone_id')
    .execute();
  const beside = await extrasOfZones(db, ids, now);
  const bySensors = new Map(sensors.map(({ zone_id, count }) => [zone_id, Number(count)]));
  const bySessions = new Map(sessions.map(({ zone_id, count }) => [zone_id, Number(count)]));
  return new Map(
    ids.map((id) => [
      id,
      { sensors: bySensors.get(id) ?? null, sessions: (bySessions.get(id) ?? 0) + (beside.get(id) ?? 0) },
    ]),
  );
}

/** Returns how many of the vehicles that the zones' last recounts counted without a session are still there. */
async function extrasOfZones(db: Db, ids: readonly number[], now: number): Promise<Map<number, number>> {
  const recounts = await lastRecounts(db)
    .where('zone_recounts.zone_id', 'in', ids)
    .where('zone_recounts.extra_count', '>', 0)
    .where(sql<boolean>`zone_recounts.counted_at > ${oldestCounted(now)}`)
    .execute();
  const left = new Map<number, number>();
  for (const recount of recounts) left.set(recount.id, await extrasLeft(db, { zone: recount, recount, now }));
  return left;
}

/** Returns how many of the vehicles that a recount counted without a session are still there. @param of.now wall milliseconds */
export async function extrasLeft(
  db: Db,
  of: { zone: CountedZone; recount: Parameters<typeof extrasEnd>[1]; now: number },
): Promise<number> {
  const { zone, recount, now } = of;
  if (recount.extra_count === 0 || now >= extrasEnd(zone, recount)) return 0;
  // There is no upper bound, because a camera with a fast clock reports exits in the near future.
  const gone = await departures(db, { zone, recount, until: Number.MAX_SAFE_INTEGER });
  return recount.extra_count - gone.length;
}

/** The id of a zone's last recount, in a query that has the zone. */
const lastRecount = sql<number>`(select max(last.id) from zone_recounts as last where last.zone_id = zones.id)`;

/** The last recount of each zone, with the zone. */
export const lastRecounts = (db: Db) =>
  db
    .selectFrom('zone_recounts')
    .innerJoin('zones', 'zones.id', 'zone_recounts.zone_id')
    .select(['zones.id', 'zones.lot_id', 'zones.occupancy_max_hours'])
    .select(['zone_recounts.extra_count', 'zone_recounts.uncounted_until', 'zone_recounts.counted_at'])
    .where('zone_recounts.id', '=', lastRecount);

/** The earliest beginning of a session that still counts. */
const oldestCounted = (now: number) => sql`cast(${now} as bigint) - zones.occupancy_max_hours * ${HOUR_MS}`;

/** The open sessions that count as vehicles. */
const countedSessions = (db: Db, now: number) =>
  db
    .selectFrom('sessions')
    .innerJoin('zones', 'zones.id', 'sessions.zone_id')
    .leftJoin('zone_recounts', (join) => join.on('zone_recounts.id', '=', lastRecount))
    .where('sessions.ended_at', 'is', null)
    .where(sql<boolean>`sessions.created_at > ${oldestCounted(now)}`)
    .where(sql<boolean>`sessions.created_at > coalesce(zone_recounts.uncounted_until, 0)`);

/** Returns the count that each zone shows. @param now wall milliseconds */
export async function occupiedCountsOfZones(
  db: Db,
  zones: readonly Pick<Row<'zones'>, 'id'>[],
  now: number,
): Promise<Map<number, number>> {
  const counts = await countsOfZones(db, zones, now);
  return new Map([...counts].map(([id, each]) => [id, occupiedCountOf(each)]));
}

/**
 * Counts the vehicles in each zone of a lot: its places, its open sessions, and since a recount with vehicles that have no session also the
 * reads at its exits. @param lot.now wall milliseconds
 */
export async function countsOfLot(db: Db, lot: { lot_id: number; now: number }): Promise<Map<number, ZoneCounts>> {
  const zones = await db.selectFrom('zones').select('id').where('lot_id', '=', lot.lot_id).execute();
  return countsOfZones(db, zones, lot.now);
}

export function findZone(db: Db, id: number): Promise<Row<'zones'>> {
  return db.selectFrom('zones').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
