/** Counts the vehicles in zones: by sensors where places have any, otherwise by open sessions. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Db } from '../store/cloud-store.js';
import type { Database, Row } from '../store/schema.js';
import { occupiedCountOf, type ZoneCounts } from './decide-drift.js';

const HOUR_MS = 3_600_000;

interface SensorCount {
  zone_id: number;
  parking_gateway_id: number;
  occupied_count: number;
}

/** Counts the occupied places with sensors per zone and parking gateway. Zones without sensors are left out. */
export async function sensorCountsOfLot(db: Db, lot_id: number): Promise<SensorCount[]> {
  const rows = await db
    .selectFrom('parking_places')
    .select(['zone_id', 'parking_gateway_id'])
    .select((eb) => occupiedSum(eb).as('occupied_count'))
    .where('lot_id', '=', lot_id)
    .where('parking_gateway_id', 'is not', null)
    .where('sensor', 'is not', null)
    .groupBy(['zone_id', 'parking_gateway_id'])
    .orderBy('zone_id')
    .orderBy('parking_gateway_id')
    .execute();
  return rows.map(({ zone_id, parking_gateway_id, occupied_count }) => ({
    zone_id,
    parking_gateway_id: Number(parking_gateway_id),
    occupied_count: Number(occupied_count),
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
  const extras = await db
    .selectFrom('zone_recounts')
    .innerJoin('zones', 'zones.id', 'zone_recounts.zone_id')
    .select(['zone_recounts.zone_id', 'zone_recounts.extra_count as count'])
    .where('zone_recounts.zone_id', 'in', ids)
    .where('zone_recounts.id', '=', lastRecount)
    .where(sql<boolean>`zone_recounts.counted_at > ${oldestCounted(now)}`)
    .execute();
  const bySensors = new Map(sensors.map(({ zone_id, count }) => [zone_id, Number(count)]));
  const bySessions = new Map(sessions.map(({ zone_id, count }) => [zone_id, Number(count)]));
  const beside = new Map(extras.map(({ zone_id, count }) => [zone_id, count]));
  return new Map(
    ids.map((id) => [
      id,
      { sensors: bySensors.get(id) ?? null, sessions: (bySessions.get(id) ?? 0) + (beside.get(id) ?? 0) },
    ]),
  );
}

const lastRecount = sql<number>`(select max(last.id) from zone_recounts as last where last.zone_id = zones.id)`;
/** A vehicle that came earlier is not counted any more. */
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

/** The counts that zones show. @param now wall milliseconds */
export async function occupiedCountsOfZones(
  db: Db,
  zones: readonly Pick<Row<'zones'>, 'id'>[],
  now: number,
): Promise<Map<number, number>> {
  const counts = await countsOfZones(db, zones, now);
  return new Map([...counts].map(([id, each]) => [id, occupiedCountOf(each)]));
}

/** Counts the vehicles in the zones of a lot. @param lot.now wall milliseconds */
export async function occupiedCountsOfLot(db: Db, lot: { lot_id: number; now: number }): Promise<Map<number, number>> {
  const zones = await db.selectFrom('zones').select('id').where('lot_id', '=', lot.lot_id).execute();
  return occupiedCountsOfZones(db, zones, lot.now);
}

export function findZone(db: Db, id: number): Promise<Row<'zones'>> {
  return db.selectFrom('zones').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
