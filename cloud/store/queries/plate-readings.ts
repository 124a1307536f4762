/** Readings, their pictures, sightings and lot entries. */
import type { LotEntryCamera, RelatedLotEntry } from '../../lpr/lot-entry-payload.js';
import type { ReadingImages } from '../../lpr/reading-images-payload.js';
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';
import { imagesOfOwners } from './images.js';

export function insertPlateReading(db: Db, row: NewRow<'plate_readings'>): Promise<Row<'plate_readings'>> {
  return db.insertInto('plate_readings').values(row).returningAll().executeTakeFirstOrThrow();
}

export function findReadingByUid(
  db: Db,
  uid: string,
): Promise<Pick<Row<'plate_readings'>, 'id' | 'gateway_id'> | undefined> {
  return db.selectFrom('plate_readings').select(['id', 'gateway_id']).where('uid', '=', uid).executeTakeFirst();
}

export async function saveReadingSession(db: Db, reading: { id: number; session_id: number }): Promise<void> {
  await db.updateTable('plate_readings').set({ session_id: reading.session_id }).where('id', '=', reading.id).execute();
}

/** A person says how the plate really reads; what was read first stays known. */
export async function correctReadingPlate(
  db: Db,
  reading: { id: number; plate: string; plate_normalised: string; corrected_by: number; now: number },
): Promise<void> {
  const { id, plate, plate_normalised, corrected_by, now } = reading;
  await db
    .updateTable('plate_readings')
    .set(({ fn, ref }) => ({
      original_plate: fn.coalesce('original_plate', ref('plate')),
      plate,
      plate_normalised,
      corrected_by,
      corrected_at: now,
      updated_at: now,
    }))
    .where('id', '=', id)
    .execute();
}

export async function saveOpeningOutcome(
  db: Db,
  reading: {
    id: number;
    event_id: string;
    outcome: 'succeeded' | 'failed' | 'unknown';
    error_type: number | null;
    now: number;
  },
): Promise<void> {
  await db
    .updateTable('plate_readings')
    .set({
      opening_event_id: reading.event_id,
      opening_outcome: reading.outcome,
      opening_error_type: reading.error_type,
      updated_at: reading.now,
    })
    .where('id', '=', reading.id)
    .execute();
}

export async function insertImages(db: Db, rows: NewRow<'images'>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('images').values(rows).execute();
}

export function findImage(db: Db, uid: string): Promise<Row<'images'> | undefined> {
  return db.selectFrom('images').selectAll().where('uid', '=', uid).executeTakeFirst();
}

export async function saveImageArrived(db: Db, image: { uid: string; now: number }): Promise<void> {
  await db
    .updateTable('images')
    .set({ arrived_at: image.now })
    .where('uid', '=', image.uid)
    .where('arrived_at', 'is', null)
    .execute();
}

export async function insertSighting(db: Db, row: NewRow<'sightings'>): Promise<void> {
  await db.insertInto('sightings').values(row).execute();
}

/** Removes sightings before a time, with the rows of their pictures. */
export async function pruneSightings(db: Db, before: number): Promise<void> {
  const old = db.selectFrom('sightings').select('uid').where('created_at', '<', before);
  await db.deleteFrom('images').where('owner_uid', 'in', old).execute();
  await db.deleteFrom('sightings').where('created_at', '<', before).execute();
}

/** A camera as a record of its gateway needs it, with the lot its zone lies in. */
export type ReadingCamera = LotEntryCamera & { lot_id: number };

export function findReadingCamera(db: Db, camera_id: number): Promise<ReadingCamera | undefined> {
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
      'lpr_cameras.created_at',
      'lpr_cameras.updated_at',
      'products.product_type_id',
      'zones.lot_id',
    ])
    .where('lpr_cameras.id', '=', camera_id)
    .executeTakeFirst();
}

export async function isZoneOfLot(db: Db, zone: { id: number; lot_id: number }): Promise<boolean> {
  const row = await db
    .selectFrom('zones')
    .select('id')
    .where('id', '=', zone.id)
    .where('lot_id', '=', zone.lot_id)
    .executeTakeFirst();
  return row !== undefined;
}

export function insertLotEntry(db: Db, row: NewRow<'lot_entries'>): Promise<Row<'lot_entries'>> {
  return db.insertInto('lot_entries').values(row).returningAll().executeTakeFirstOrThrow();
}

/** The `in` entry that an `out` one belongs to: of the ended session's entry, else the plate's last allowed entry unless it left since. */
export async function findEntryOfExit(
  db: Db,
  exit: { lot_id: number; plate_normalised: string; entry_reading_id: number | null; before: number },
): Promise<RelatedLotEntry | null> {
  const entries = db
    .selectFrom('lot_entries')
    .innerJoin('plate_readings', 'plate_readings.id', 'lot_entries.plate_reading_id')
    .leftJoin('lpr_cameras', 'lpr_cameras.id', 'lot_entries.lpr_camera_id')
    .selectAll('lot_entries')
    .select([
      'plate_readings.uid as reading_uid',
      'plate_readings.plate',
      'plate_readings.make',
      'plate_readings.color',
      'plate_readings.model',
      'lpr_cameras.device_id',
      'lpr_cameras.name',
    ]);
  const found =
    exit.entry_reading_id === null
      ? await entries
          .where('plate_readings.plate_normalised', '=', exit.plate_normalised)
          .where('plate_readings.created_at', '<=', exit.before)
          .where('lot_entries.lot_id', '=', exit.lot_id)
          .where('lot_entries.is_allowed', '=', 1)
          .orderBy('plate_readings.created_at', 'desc')
          .orderBy('lot_entries.id', 'desc')
          .limit(1)
          .executeTakeFirst()
      : await entries.where('lot_entries.plate_reading_id', '=', exit.entry_reading_id).executeTakeFirst();
  if (found?.direction !== 'in') return null;
  const { reading_uid, plate, make, color, model, device_id, name, ...entry } = found;
  return {
    entry,
    reading: { plate, make, color, model },
    images: await imagesOf(db, reading_uid),
    camera: { id: entry.lpr_camera_id, device_id: device_id ?? '', name: name ?? '' },
  };
}

/** The plate's first exit at or after a time that was allowed though no session was known. */
export function findExitWithoutSession(
  db: Db,
  plate: { lot_id: number; plate_normalised: string; after: number },
): Promise<Pick<Row<'plate_readings'>, 'id' | 'created_at' | 'lpr_camera_id'> | undefined> {
  return db
    .selectFrom('plate_readings')
    .innerJoin('lot_entries', 'lot_entries.plate_reading_id', 'plate_readings.id')
    .select(['plate_readings.id', 'plate_readings.created_at', 'plate_readings.lpr_camera_id'])
    .where('plate_readings.plate_normalised', '=', plate.plate_normalised)
    .where('plate_readings.created_at', '>=', plate.after)
    .where('plate_readings.lot_id', '=', plate.lot_id)
    .where('plate_readings.session_id', 'is', null)
    .where('lot_entries.direction', '=', 'out')
    .where('lot_entries.is_allowed', '=', 1)
    .orderBy('plate_readings.created_at')
    .orderBy('plate_readings.id')
    .limit(1)
    .executeTakeFirst();
}

/** The pictures of a reading; one made over REST has no uid and none. */
export async function imagesOf(db: Db, owner_uid: string | null): Promise<ReadingImages> {
  const images = owner_uid === null ? undefined : (await imagesOfOwners(db, [owner_uid])).get(owner_uid);
  return images ?? { full: null, cropped: null };
}
