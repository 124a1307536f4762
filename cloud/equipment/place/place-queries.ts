/** Reads parking places and writes their occupancy. */
import { sql } from 'kysely';
import { type Db, deletedAt, type GoneRows, KEPT_OF_ALL, type Row } from '../../kernel/store/entry.js';
import { KEPT_OF_PLACES } from './place-fields.js';

/** A place with the gateway that reads its sensor; null: none does. */
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

/** Whether the gateway read the place's sensor until its parking gateway was deleted. */
export async function wasWatchedBy(db: Db, watch: { parking_place_id: number; gateway_id: number }): Promise<boolean> {
  const row = await db
    .selectFrom('former_place_watches')
    .select('gateway_id')
    .where('parking_place_id', '=', watch.parking_place_id)
    .where('gateway_id', '=', watch.gateway_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds the lots of places, including deleted ones. */
export function lotsOfPlaces(db: Db, ids: number[]): Promise<{ id: number; lot_id: number }[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('parking_places')
    .select(['id', 'lot_id'])
    .where('id', 'in', ids)
    .unionAll((eb) => eb.selectFrom('deleted_parking_places').select(['id', 'lot_id']).where('id', 'in', ids))
    .execute();
}

export function savePlaceOccupancy(
  db: Db,
  place: { id: number; occupancy_status: 'free' | 'occupied'; changed_at: number; now: number },
): Promise<Row<'parking_places'>> {
  const { id, now, ...columns } = place;
  return db
    .updateTable('parking_places')
    .set({
      ...columns,
      first_heard_at: sql<number>`coalesce(first_heard_at, ${columns.changed_at})`,
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Notes when the sensor of a place reported for the first time; its state is already as the cloud has it. */
export async function savePlaceHeard(db: Db, place: { id: number; first_heard_at: number }): Promise<void> {
  const { id, first_heard_at } = place;
  await db.updateTable('parking_places').set({ first_heard_at }).where('id', '=', id).execute();
}

/** Stores a late change of a deleted place. @returns whether the lot had such a place until it was deleted */
export async function saveDeletedPlaceOccupancy(
  db: Db,
  place: { id: number; lot_id: number; occupancy_status: 'free' | 'occupied'; changed_at: number; now: number },
): Promise<boolean> {
  const { id, lot_id, now, ...columns } = place;
  const { numUpdatedRows } = await db
    .updateTable('deleted_parking_places')
    .set({ ...columns, updated_at: now })
    .where('id', '=', id)
    .where('lot_id', '=', lot_id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0;
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

export const placesByIds = (db: Db, ids: readonly number[]): Promise<Row<'parking_places'>[]> =>
  db.selectFrom('parking_places').selectAll().where('id', 'in', ids).execute();

/** Keeps places that are being deleted. */
export async function keepPlaces(tx: Db, { ids, now }: GoneRows): Promise<void> {
  const places = tx
    .selectFrom('parking_places')
    .select(['id', 'account_id', 'lot_id', 'name', deletedAt(now), 'created_at', 'updated_at'])
    .select(KEPT_OF_PLACES)
    .where('id', 'in', ids);
  await tx
    .insertInto('deleted_parking_places')
    .columns([...KEPT_OF_ALL, ...KEPT_OF_PLACES])
    .expression(places)
    .execute();
}
