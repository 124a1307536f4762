/** Reads parking gateways and writes their presence, and which of their sensors are silent. */
import { type Db, deletedAt, type GoneRows, KEPT_OF_ALL, type Row, saveEach } from '../../kernel/store/entry.js';
import type { Gone } from '../../rest/entry.js';

/** A gateway reports how long a sensor has been silent, which differs a little from report to report. */
const SAME_SILENCE_MS = 60_000;

/** A parking gateway with the device of its gateway, and what that last said. */
export type ParkingGatewayRow = Row<'parking_gateways'> & {
  gateway_public_key: string | null;
  /** As its gateway last reported; null: it never did. */
  gateway_health: Row<'gateway_health'>['health'] | null;
};

export const parkingGatewaysByIds = (db: Db, ids: readonly number[]): Promise<ParkingGatewayRow[]> =>
  db
    .selectFrom('parking_gateways')
    .leftJoin('gateways', 'gateways.id', 'parking_gateways.gateway_id')
    .leftJoin('gateway_health as reported', 'reported.gateway_id', 'parking_gateways.gateway_id')
    .selectAll('parking_gateways')
    .select(['gateways.public_key as gateway_public_key', 'reported.health as gateway_health'])
    .where('parking_gateways.id', 'in', ids)
    .execute();

export function findParkingGateway(db: Db, id: number): Promise<Row<'parking_gateways'> | undefined> {
  return db.selectFrom('parking_gateways').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds one that was deleted and that a gateway had polled. */
export function findDeletedParkingGateway(db: Db, id: number): Promise<Row<'deleted_parking_gateways'> | undefined> {
  return db.selectFrom('deleted_parking_gateways').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the lots of parking gateways, including deleted ones. */
export function lotsOfParkingGateways(db: Db, ids: number[]): Promise<{ id: number; lot_id: number }[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('parking_gateways')
    .select(['id', 'lot_id'])
    .where('id', 'in', ids)
    .unionAll((eb) => eb.selectFrom('deleted_parking_gateways').select(['id', 'lot_id']).where('id', 'in', ids))
    .execute();
}

/** Notes when a parking gateway was heard. A record of days ago does not count against what was heard since. */
export async function saveParkingGatewaySeen(db: Db, gateway: { id: number; last_seen: number }): Promise<void> {
  const { id, last_seen } = gateway;
  await db
    .updateTable('parking_gateways')
    .set({ last_seen })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_seen', 'is', null), eb('last_seen', '<', last_seen)]))
    .execute();
}

export async function saveParkingGatewayStatus(
  db: Db,
  gateway: { id: number; status: 'online' | 'offline'; now: number },
): Promise<void> {
  const { id, status, now } = gateway;
  await db.updateTable('parking_gateways').set({ status, updated_at: now }).where('id', '=', id).execute();
}

/** Finds the parking gateways that a gateway reads and that are in its lot. */
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

/** The sensors of a parking gateway, with the names of their places. */
export async function watchedSensors(
  db: Db,
  parking_gateway_id: number,
): Promise<{ name: string | null; sensor: string }[]> {
  const places = await db
    .selectFrom('parking_places')
    .select(['name', 'sensor'])
    .where('parking_gateway_id', '=', parking_gateway_id)
    .orderBy('id')
    .execute();
  return places.flatMap(({ name, sensor }) => (sensor === null ? [] : [{ name, sensor }]));
}

/**
 * Writes which sensors of a parking gateway are silent; all of its others are heard.
 * @param of.silent by the place's id: when its sensor was last heard, wall milliseconds
 */
export async function savePlacesStale(
  db: Db,
  of: { parking_gateway_id: number; silent: ReadonlyMap<number, number>; now: number },
): Promise<void> {
  const { parking_gateway_id, silent, now: updated_at } = of;
  const places = await db
    .selectFrom('parking_places')
    .select(['id', 'stale_since'])
    .where('parking_gateway_id', '=', parking_gateway_id)
    .where('sensor', 'is not', null)
    .execute();
  const changed = places.flatMap(({ id, stale_since: before }) => {
    const stale_since = silent.get(id) ?? null;
    const isSame =
      before === null || stale_since === null
        ? before === stale_since
        : Math.abs(before - stale_since) < SAME_SILENCE_MS;
    return isSame ? [] : [{ id, set: { stale_since, updated_at } }];
  });
  await saveEach(db, 'parking_places', changed);
}

/** Keeps parking gateways that are being deleted, but only those that a gateway polls: of others there are no records. */
export async function keepParkingGateways(tx: Db, { ids, now }: GoneRows): Promise<void> {
  const polled = tx
    .selectFrom('parking_gateways')
    .select(['id', 'account_id', 'lot_id', 'name', deletedAt(now), 'created_at', 'updated_at'])
    .select((eb) => eb.ref('gateway_id').$notNull().as('gateway_id'))
    .where('gateway_id', 'is not', null)
    .where('id', 'in', ids);
  await tx
    .insertInto('deleted_parking_gateways')
    .columns([...KEPT_OF_ALL, 'gateway_id'])
    .expression(polled)
    .execute();
}

/** Keeps which gateway read the sensors of the places that a parking gateway leaves behind. */
export async function keepWatches(tx: Db, { id }: Gone): Promise<void> {
  await tx
    .insertInto('former_place_watches')
    .columns(['parking_place_id', 'gateway_id'])
    .expression(
      tx
        .selectFrom('parking_places')
        .innerJoin('parking_gateways', 'parking_gateways.id', 'parking_places.parking_gateway_id')
        .select(['parking_places.id as parking_place_id', 'parking_gateways.gateway_id'])
        .where('parking_gateways.id', '=', id)
        .where('parking_gateways.gateway_id', 'is not', null),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
