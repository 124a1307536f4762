/** Parking places, what watches them, and how full zones and lots are. */
import { type ExpressionBuilder, sql } from 'kysely';
import type { Db } from '../cloud-store.js';
import type { Database, Row } from '../schema.js';

const HOUR_MS = 3_600_000;

/** A place with the gateway that listens to its sensor; null: nobody does. */
export type WatchedPlace = Row<'parking_places'> & { gateway_id: number | null };

export function findWatchedPlace(db: Db, id: number): Promise<WatchedPlace | undefined> {
  return db
    .selectFrom('parking_places')
    .leftJoin('parking_gateways', 'parking_gateways.id', 'parking_places.parking_gateway_id')
    .selectAll('parking_places')
    .select('parking_gateways.gateway_id')
    .where('parking_places.id', '=', id)
    .executeTakeFirst();
}

export function savePlaceOccupancy(
  db: Db,
  place: { id: number; occupancy_status: 'free' | 'occupied'; changed_at: number; now: number },
): Promise<Row<'parking_places'>> {
  const { id, now, ...columns } = place;
  return db
    .updateTable('parking_places')
    .set({ ...columns, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function findParkingGateway(db: Db, id: number): Promise<Row<'parking_gateways'> | undefined> {
  return db.selectFrom('parking_gateways').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function saveParkingGatewaySeen(db: Db, gateway: { id: number; last_seen: number }): Promise<void> {
  const { id, last_seen } = gateway;
  await db.updateTable('parking_gateways').set({ last_seen }).where('id', '=', id).execute();
}

export async function saveParkingGatewayStatus(
  db: Db,
  gateway: { id: number; status: 'online' | 'offline'; now: number },
): Promise<void> {
  const { id, status, now } = gateway;
  await db.updateTable('parking_gateways').set({ status, updated_at: now }).where('id', '=', id).execute();
}

/** Parking gateways that a gateway listens to, as far as they are in its lot. */
export function watchedParkingGateways(
  db: Db,
  gateway: { id: number; lot_id: number },
): Promise<Row<'parking_gateways'>[]> {
  return db
    .selectFrom('parking_gateways')
    .selectAll()
    .where('gateway_id', '=', gateway.id)
    .where('lot_id', '=', gateway.lot_id)
    .orderBy('id')
    .execute();
}

export function placesOfParkingGateways(db: Db, ids: number[]): Promise<Row<'parking_places'>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('parking_places')
    .selectAll()
    .where('parking_gateway_id', 'in', ids)
    .where('sensor', 'is not', null)
    .orderBy('id')
    .execute();
}

interface SensorCount {
  zone_id: number;
  parking_gateway_id: number;
  occupied_count: number;
}

/** Occupied places with sensors, per zone of a lot and parking gateway; zones without any are not there. */
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
 * How many vehicles the zones hold: what their sensors say where their places have any, else their open sessions that are not
 * older than the zone's `occupancy_max_hours`.
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
  // Where both are told, the sensors' count is.
  return new Map([...sessions, ...sensors].map(({ zone_id, count }) => [zone_id, Number(count)]));
}

/** The same of the zones of a lot. @param lot.now wall milliseconds */
export async function occupiedCountsOfLot(db: Db, lot: { lot_id: number; now: number }): Promise<Map<number, number>> {
  const zones = await db.selectFrom('zones').select('id').where('lot_id', '=', lot.lot_id).execute();
  return occupiedCountsOfZones(db, zones, lot.now);
}

export function findZone(db: Db, id: number): Promise<Row<'zones'>> {
  return db.selectFrom('zones').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
