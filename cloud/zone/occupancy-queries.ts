/** Counts the vehicles in zones: by sensors where places have any, otherwise by open sessions. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Db } from '../store/cloud-store.js';
import type { Database, Row } from '../store/schema.js';

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

/**
 * Counts the vehicles in the zones: occupied places where places have sensors, otherwise open sessions that are not older than the zone's
 * `occupancy_max_hours`.
 * @param now wall milliseconds
 */
export async function occupiedCountsOfZones(
  db: Db,
  zones: readonly Pick<Row<'zones'>, 'id'>[],
  now: number,
): Promise<Map<number, number>> {
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
  const sessions = await db
    .selectFrom('sessions')
    .innerJoin('zones', 'zones.id', 'sessions.zone_id')
    .select(({ fn }) => ['sessions.zone_id', fn.countAll<number | string>().as('count')])
    .where('sessions.zone_id', 'in', ids)
    .where('sessions.ended_at', 'is', null)
    .where(sql<boolean>`sessions.created_at > cast(${now} as bigint) - zones.occupancy_max_hours * ${HOUR_MS}`)
    .groupBy('sessions.zone_id')
    .execute();
  // The counts of sensors replace those of sessions.
  return new Map([...sessions, ...sensors].map(({ zone_id, count }) => [zone_id, Number(count)]));
}

/** Counts the vehicles in the zones of a lot. @param lot.now wall milliseconds */
export async function occupiedCountsOfLot(db: Db, lot: { lot_id: number; now: number }): Promise<Map<number, number>> {
  const zones = await db.selectFrom('zones').select('id').where('lot_id', '=', lot.lot_id).execute();
  return occupiedCountsOfZones(db, zones, lot.now);
}

export function findZone(db: Db, id: number): Promise<Row<'zones'>> {
  return db.selectFrom('zones').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
