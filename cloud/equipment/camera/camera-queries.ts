/** Reads cameras and writes their status. */
import { KEPT_OF_CAMERAS } from './camera-fields.js';
import type { LotEntryCamera } from './event-camera-payload.js';
import { type Db, deletedAt, type GoneRows, KEPT_OF_ALL, type Row } from '../../kernel/store/entry.js';

/** Finds the cameras that a gateway reads and that are in its lot. */
export function camerasOfGateway(
  db: Db,
  gateway: { id: number; lot_id: number },
): Promise<Pick<Row<'lpr_cameras'>, 'id' | 'device_id' | 'status' | 'problem' | 'timezone'>[]> {
  return db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .select(['lpr_cameras.id', 'lpr_cameras.device_id', 'lpr_cameras.status', 'lpr_cameras.problem'])
    .select('lpr_cameras.timezone')
    .where('lpr_cameras.gateway_id', '=', gateway.id)
    .where('zones.lot_id', '=', gateway.lot_id)
    .execute();
}

/** Lists the cameras of a lot, by which those that a gateway found are known again. */
export const camerasOfLot = (
  db: Db,
  lot_id: number,
): Promise<Pick<Row<'lpr_cameras'>, 'id' | 'device_id' | 'address'>[]> =>
  camerasWithZones(db)
    .select(['lpr_cameras.id', 'lpr_cameras.device_id', 'lpr_cameras.address'])
    .where('zones.lot_id', '=', lot_id)
    .execute();

export async function saveCameraStatus(
  db: Db,
  camera: { id: number; problem: string | null; isChanged: boolean; now: number } & Pick<Row<'lpr_cameras'>, 'status'>,
): Promise<void> {
  const { id, status, problem, isChanged, now } = camera;
  if (!isChanged && status === 'offline') return;
  await db
    .updateTable('lpr_cameras')
    .set({
      status,
      problem,
      ...(status === 'offline' ? {} : { last_seen: now }),
      ...(isChanged ? { updated_at: now } : {}),
    })
    .where('id', '=', id)
    .execute();
}

/** The tables of the list of cameras. */
export const camerasWithZones = (db: Db) =>
  db.selectFrom('lpr_cameras').innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id');

/** A camera with the lot of its zone, the type of its product and the device of its gateway. */
export type CameraRow = Row<'lpr_cameras'> & {
  lot_id: number;
  product_type_id: number | null;
  gateway_public_key: string | null;
};

export const camerasByIds = (db: Db, ids: readonly number[]): Promise<CameraRow[]> =>
  db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .leftJoin('products', 'products.id', 'lpr_cameras.product_id')
    .leftJoin('gateways', 'gateways.id', 'lpr_cameras.gateway_id')
    .selectAll('lpr_cameras')
    .select(['zones.lot_id', 'products.product_type_id', 'gateways.public_key as gateway_public_key'])
    .where('lpr_cameras.id', 'in', ids)
    .execute();

/** A camera as a record of its gateway needs it, with the lot its zone lies in. It may have been deleted since. */
export type ReadingCamera = LotEntryCamera & {
  lot_id: number;
  /** Left out of a camera that was deleted. */
  timezone?: string;
};

export async function findReadingCameras(db: Db, ids: number[]): Promise<ReadingCamera[]> {
  if (ids.length === 0) return [];
  const present = await presentReadingCameras(db, ids);
  const known = new Set(present.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  return missing.length === 0 ? present : [...present, ...(await deletedReadingCameras(db, missing))];
}

const deletedReadingCameras = (db: Db, ids: number[]): Promise<ReadingCamera[]> =>
  db
    .selectFrom('deleted_lpr_cameras')
    .select(['id', 'device_id', 'device_serial', 'name', 'account_id', 'zone_id', 'status', 'lpr_position', 'mac'])
    .select(['created_at', 'updated_at', 'product_type_id', 'lot_id'])
    .where('id', 'in', ids)
    .execute();

function presentReadingCameras(db: Db, ids: number[]): Promise<ReadingCamera[]> {
  return db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .leftJoin('products', 'products.id', 'lpr_cameras.product_id')
    .select([
      'lpr_cameras.id',
      'lpr_cameras.device_id',
      'lpr_cameras.device_serial',
      'lpr_cameras.name',
      'lpr_cameras.account_id',
      'lpr_cameras.zone_id',
      'lpr_cameras.status',
      'lpr_cameras.lpr_position',
      'lpr_cameras.mac',
      'lpr_cameras.timezone',
      'lpr_cameras.created_at',
      'lpr_cameras.updated_at',
      'products.product_type_id',
      'zones.lot_id',
    ])
    .where('lpr_cameras.id', 'in', ids)
    .execute();
}

/** Keeps cameras that are being deleted. */
export async function keepCameras(tx: Db, { ids, now }: GoneRows): Promise<void> {
  const cameras = tx
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .leftJoin('products', 'products.id', 'lpr_cameras.product_id')
    .select(['lpr_cameras.id', 'lpr_cameras.account_id', 'zones.lot_id', 'lpr_cameras.name', deletedAt(now)])
    .select(['lpr_cameras.created_at', 'lpr_cameras.updated_at', 'lpr_cameras.zone_id', 'lpr_cameras.device_id'])
    .select(['lpr_cameras.device_serial', 'lpr_cameras.status', 'lpr_cameras.lpr_position', 'lpr_cameras.mac'])
    .select('products.product_type_id')
    .where('lpr_cameras.id', 'in', ids);
  await tx
    .insertInto('deleted_lpr_cameras')
    .columns([...KEPT_OF_ALL, ...KEPT_OF_CAMERAS, 'product_type_id'])
    .expression(cameras)
    .execute();
}
