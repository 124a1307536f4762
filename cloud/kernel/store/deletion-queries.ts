/**
 * Rows of the site are deleted only here. A gateway that was offline may still send records that name a zone, place, camera or parking
 * gateway that was deleted meanwhile, and the history names lots, zones, cameras and gateways for good. So each of these is kept as a row
 * with `deleted_at`, in a table of its own that only late records and the history use. The tables of the site hold only what exists, so
 * that no list or other query has to leave out deleted rows; names and device_ids are free again, and foreign keys clear what referred to
 * the row. Passwords and keys are not kept.
 */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './cloud-store.js';
import type { Database } from './schema.js';

/** The columns in the order in which every query below selects them. */
const KEPT_OF_ALL = ['id', 'account_id', 'lot_id', 'name', 'deleted_at', 'created_at', 'updated_at'] as const;
const KEPT_OF_PLACES = ['zone_id', 'occupancy_status', 'changed_at'] as const;

/** @returns whether the row was still there */
export async function deleteRow(
  tx: Db,
  table: keyof Database,
  row: { id: number /** Wall milliseconds. */; now: number },
): Promise<boolean> {
  await keepDeleted(tx, table, row);
  // The type of `lots` serves for every table here, because all of them have an id.
  const { numDeletedRows } = await tx
    .deleteFrom(table as 'lots')
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}

/** Keeps also what is deleted with the row: the places and cameras of a zone, and all of these of a lot or an account. */
async function keepDeleted(tx: Db, table: keyof Database, row: { id: number; now: number }): Promise<void> {
  switch (table) {
    case 'accounts':
      return keepZones(tx, { column: 'zones.account_id', ...row });
    case 'lots':
      await keepLot(tx, row);
      await keepZones(tx, { column: 'zones.lot_id', ...row });
      return keepParkingGateways(tx, parkingGateways(tx, row.now).where('lot_id', '=', row.id));
    case 'account_users':
      return keepWebhooksOfUser(tx, row.id);
    case 'gateways':
      return keepGateway(tx, row);
    case 'zones':
      return keepZones(tx, { column: 'zones.id', ...row });
    case 'parking_places':
      return keepPlaces(tx, places(tx, row.now).where('id', '=', row.id));
    case 'lpr_cameras':
      return keepCameras(tx, cameras(tx, row.now).where('lpr_cameras.id', '=', row.id));
    case 'parking_gateways':
      await keepParkingGateways(tx, parkingGateways(tx, row.now).where('id', '=', row.id));
      return keepWatches(tx, row.id);
  }
}

async function keepLot(tx: Db, { id, now }: { id: number; now: number }): Promise<void> {
  const lot = tx
    .selectFrom('lots')
    .select(['id', 'account_id', 'name', 'timezone', deletedAt(now), 'created_at', 'updated_at'])
    .where('id', '=', id);
  await tx
    .insertInto('deleted_lots')
    .columns(['id', 'account_id', 'name', 'timezone', 'deleted_at', 'created_at', 'updated_at'])
    .expression(lot)
    .execute();
}

async function keepGateway(tx: Db, { id, now }: { id: number; now: number }): Promise<void> {
  const gateway = tx
    .selectFrom('gateways')
    .select((eb) => ['id', eb.ref('uuid').$notNull().as('uuid'), deletedAt(now)])
    .where('id', '=', id)
    .where('uuid', 'is not', null);
  await tx.insertInto('deleted_gateways').columns(['id', 'uuid', 'deleted_at']).expression(gateway).execute();
}

async function keepZones(
  tx: Db,
  of: { column: 'zones.account_id' | 'zones.lot_id' | 'zones.id'; id: number; now: number },
): Promise<void> {
  const { column, id, now } = of;
  const ids = tx.selectFrom('zones').select('zones.id').where(column, '=', id);
  await keepPlaces(tx, places(tx, now).where('zone_id', 'in', ids));
  await keepCameras(tx, cameras(tx, now).where('lpr_cameras.zone_id', 'in', ids));
  const zones = tx
    .selectFrom('zones')
    .select(['id', 'account_id', 'lot_id', 'name', deletedAt(now), 'created_at', 'updated_at'])
    .select((eb) =>
      eb
        .selectFrom('zone_tariffs')
        .select('zone_tariffs.tariff_id')
        .whereRef('zone_tariffs.zone_id', '=', 'zones.id')
        .orderBy('zone_tariffs.position')
        .limit(1)
        .as('tariff_id'),
    )
    .where(column, '=', id);
  await tx
    .insertInto('deleted_zones')
    .columns([...KEPT_OF_ALL, 'tariff_id'])
    .expression(zones)
    .execute();
  await tx
    .insertInto('deleted_zone_groups')
    .columns(['group_id', 'zone_id'])
    .expression(tx.selectFrom('group_zones').select(['group_id', 'zone_id']).where('zone_id', 'in', ids))
    .execute();
}

const places = (tx: Db, now: number) =>
  tx
    .selectFrom('parking_places')
    .select(['id', 'account_id', 'lot_id', 'name', deletedAt(now), 'created_at', 'updated_at'])
    .select(KEPT_OF_PLACES);

async function keepPlaces(tx: Db, deleted: SelectQueryBuilder<Database, 'parking_places', object>): Promise<void> {
  await tx
    .insertInto('deleted_parking_places')
    .columns([...KEPT_OF_ALL, ...KEPT_OF_PLACES])
    .expression(deleted)
    .execute();
}

const cameras = (tx: Db, now: number) =>
  tx
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .leftJoin('products', 'products.id', 'lpr_cameras.product_id')
    .select(['lpr_cameras.id', 'lpr_cameras.account_id', 'zones.lot_id', 'lpr_cameras.name', deletedAt(now)])
    .select(['lpr_cameras.created_at', 'lpr_cameras.updated_at', 'lpr_cameras.zone_id', 'lpr_cameras.device_id'])
    .select(['lpr_cameras.device_serial', 'lpr_cameras.status', 'lpr_cameras.lpr_position', 'lpr_cameras.mac'])
    .select('products.product_type_id');

async function keepCameras(tx: Db, deleted: SelectQueryBuilder<Database, 'lpr_cameras', object>): Promise<void> {
  await tx
    .insertInto('deleted_lpr_cameras')
    .columns([
      ...KEPT_OF_ALL,
      'zone_id',
      'device_id',
      'device_serial',
      'status',
      'lpr_position',
      'mac',
      'product_type_id',
    ])
    .expression(deleted)
    .execute();
}

/** Only those that a gateway polls: of others there are no records. */
const parkingGateways = (tx: Db, now: number) =>
  tx
    .selectFrom('parking_gateways')
    .select(['id', 'account_id', 'lot_id', 'name', deletedAt(now), 'created_at', 'updated_at'])
    .select((eb) => eb.ref('gateway_id').$notNull().as('gateway_id'))
    .where('gateway_id', 'is not', null);

async function keepParkingGateways(
  tx: Db,
  deleted: SelectQueryBuilder<Database, 'parking_gateways', object>,
): Promise<void> {
  await tx
    .insertInto('deleted_parking_gateways')
    .columns([...KEPT_OF_ALL, 'gateway_id'])
    .expression(deleted)
    .execute();
}

/** Keeps which gateway read the sensors of the places that the parking gateway leaves behind. */
async function keepWatches(tx: Db, parking_gateway_id: number): Promise<void> {
  await tx
    .insertInto('former_place_watches')
    .columns(['parking_place_id', 'gateway_id'])
    .expression(
      tx
        .selectFrom('parking_places')
        .innerJoin('parking_gateways', 'parking_gateways.id', 'parking_places.parking_gateway_id')
        .select(['parking_places.id as parking_place_id', 'parking_gateways.gateway_id'])
        .where('parking_gateways.id', '=', parking_gateway_id)
        .where('parking_gateways.gateway_id', 'is not', null),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The webhooks that a user made keep the lots of which they heard, and hear of no others. */
async function keepWebhooksOfUser(tx: Db, account_user_id: number): Promise<void> {
  const made = tx.selectFrom('webhooks').select('id').where('account_user_id', '=', account_user_id);
  const assigned = tx.selectFrom('account_user_lots').select('lot_id').where('account_user_id', '=', account_user_id);
  await tx.deleteFrom('webhook_lots').where('webhook_id', 'in', made).where('lot_id', 'not in', assigned).execute();
  await tx
    .insertInto('webhook_lots')
    .columns(['webhook_id', 'lot_id'])
    .expression(({ selectFrom }) =>
      selectFrom('webhooks')
        .innerJoin('account_user_lots', 'account_user_lots.account_user_id', 'webhooks.account_user_id')
        .select(['webhooks.id', 'account_user_lots.lot_id'])
        .where('webhooks.account_user_id', '=', account_user_id)
        .where('webhooks.has_own_lots', '=', 0),
    )
    .execute();
  await tx
    .updateTable('webhooks')
    .set({ has_own_lots: 1, account_user_id: null })
    .where('account_user_id', '=', account_user_id)
    .execute();
}

const deletedAt = (now: number) => sql<number>`cast(${now} as bigint)`.as('deleted_at');
