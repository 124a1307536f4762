/** Readings, their pictures, sightings and lot entries. */
import { sql } from 'kysely';
import type { LotEntryCamera, LotEntryView } from '../../lpr/lot-entry-payload.js';
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';
import { imagesOfOwners } from './images.js';
import { type PlateSince, plateValues } from './sessions.js';

/** Returns the ids, in the order of the rows. */
export async function insertPlateReadings(db: Db, rows: NewRow<'plate_readings'>[]): Promise<number[]> {
  if (rows.length === 0) return [];
  return ascending(await db.insertInto('plate_readings').values(rows).returning('id').execute());
}

/** Ids grow in the order of the rows, but RETURNING promises no order. */
function ascending(rows: { id: number }[]): number[] {
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

export function insertPlateReading(db: Db, row: NewRow<'plate_readings'>): Promise<Row<'plate_readings'>> {
  return db.insertInto('plate_readings').values(row).returningAll().executeTakeFirstOrThrow();
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

export type KnownReading = Pick<Row<'plate_readings'>, 'id' | 'uid' | 'gateway_id' | 'plate'>;

export async function findReadingsByUid(db: Db, uids: string[]): Promise<KnownReading[]> {
  if (uids.length === 0) return [];
  return db
    .selectFrom('plate_readings')
    .select(['id', 'uid', 'gateway_id', 'plate'])
    .where('uid', 'in', uids)
    .execute();
}

export async function findWholeReadings(db: Db, uids: string[]): Promise<Row<'plate_readings'>[]> {
  if (uids.length === 0) return [];
  return db.selectFrom('plate_readings').selectAll().where('uid', 'in', uids).execute();
}

export async function findReadingsById(db: Db, ids: number[]): Promise<KnownReading[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('plate_readings').select(['id', 'uid', 'gateway_id', 'plate']).where('id', 'in', ids).execute();
}

export async function insertImages(db: Db, rows: NewRow<'images'>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('images').values(rows).execute();
}

export function findImage(db: Db, uid: string): Promise<Row<'images'> | undefined> {
  return db.selectFrom('images').selectAll().where('uid', '=', uid).executeTakeFirst();
}

export async function findImages(db: Db, uids: string[]): Promise<Row<'images'>[]> {
  if (uids.length === 0) return [];
  return db.selectFrom('images').selectAll().where('uid', 'in', uids).execute();
}

export async function saveImagesArrived(db: Db, images: { uids: string[]; now: number }): Promise<void> {
  if (images.uids.length === 0) return;
  await db
    .updateTable('images')
    .set({ arrived_at: images.now })
    .where('uid', 'in', images.uids)
    .where('arrived_at', 'is', null)
    .execute();
}

export async function insertSightings(db: Db, rows: NewRow<'sightings'>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('sightings').values(rows).execute();
}

/** Sightings before a time, the oldest first. */
export async function oldSightings(db: Db, options: { before: number; limit: number }): Promise<string[]> {
  const rows = await db
    .selectFrom('sightings')
    .select('uid')
    .where('created_at', '<', options.before)
    .orderBy('created_at')
    .limit(options.limit)
    .execute();
  return rows.map(({ uid }) => uid);
}

/** Removes sightings with the rows of their pictures. */
export async function deleteSightings(db: Db, uids: string[]): Promise<void> {
  if (uids.length === 0) return;
  await db.deleteFrom('images').where('owner_uid', 'in', uids).execute();
  await db.deleteFrom('sightings').where('uid', 'in', uids).execute();
}

/** A camera as a record of its gateway needs it, with the lot its zone lies in. */
export type ReadingCamera = LotEntryCamera & { lot_id: number };

export async function findReadingCameras(db: Db, ids: number[]): Promise<ReadingCamera[]> {
  if (ids.length === 0) return [];
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
    .where('lpr_cameras.id', 'in', ids)
    .execute();
}

export async function zoneIdsOfLot(db: Db, lot_id: number): Promise<Set<number>> {
  const rows = await db.selectFrom('zones').select('id').where('lot_id', '=', lot_id).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the ids, in the order of the rows. */
export async function insertLotEntries(db: Db, rows: NewRow<'lot_entries'>[]): Promise<number[]> {
  if (rows.length === 0) return [];
  return ascending(await db.insertInto('lot_entries').values(rows).returning('id').execute());
}

/** A lot entry with its reading's part and its camera's name. */
export type KnownLotEntry = LotEntryView & { camera: Pick<LotEntryCamera, 'id' | 'device_id' | 'name'> };

/** The lot entries that were made of these readings. */
export async function lotEntriesOfReadings(db: Db, reading_ids: number[]): Promise<KnownLotEntry[]> {
  if (reading_ids.length === 0) return [];
  return withImages(db, await lotEntries(db).where('lot_entries.plate_reading_id', 'in', reading_ids).execute());
}

export async function lotEntriesByIds(db: Db, ids: readonly number[]): Promise<(KnownLotEntry & { id: number })[]> {
  const entries = await withImages(db, await lotEntries(db).where('lot_entries.id', 'in', ids).execute());
  return entries.map((known) => ({ id: known.entry.id, ...known }));
}

/** The last time the plate was let in or out of the lot, up to `before`. */
export async function lastAllowedLotEntry(
  db: Db,
  plate: { lot_id: number; plate_normalised: string; before: number },
): Promise<KnownLotEntry | undefined> {
  const found = await lotEntries(db)
    .where('plate_readings.plate_normalised', '=', plate.plate_normalised)
    .where('plate_readings.created_at', '<=', plate.before)
    .where('lot_entries.lot_id', '=', plate.lot_id)
    .where('lot_entries.is_allowed', '=', 1)
    .orderBy('plate_readings.created_at', 'desc')
    .orderBy('lot_entries.id', 'desc')
    .limit(1)
    .execute();
  return (await withImages(db, found))[0];
}

function lotEntries(db: Db) {
  return db
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
}

export type ExitWithoutSession = Pick<
  Row<'plate_readings'>,
  'id' | 'plate_normalised' | 'created_at' | 'lpr_camera_id'
>;

/** Exits of plates, each from its time on, that were allowed though no session was known. */
export async function exitsWithoutSession(
  db: Db,
  wanted: { lot_id: number; plates: readonly PlateSince[] },
): Promise<ExitWithoutSession[]> {
  if (wanted.plates.length === 0) return [];
  const { rows } = await sql<ExitWithoutSession>`
    with asked(plate, since) as (values ${plateValues(wanted.plates)})
    select reading.id, reading.plate_normalised, reading.created_at, reading.lpr_camera_id
    from asked inner join plate_readings as reading
      on reading.plate_normalised = asked.plate and reading.created_at >= asked.since
    inner join lot_entries on lot_entries.plate_reading_id = reading.id
    where reading.lot_id = ${wanted.lot_id} and reading.session_id is null
      and lot_entries.direction = 'out' and lot_entries.is_allowed = 1`.execute(db);
  return rows;
}

type FoundLotEntry = Awaited<ReturnType<ReturnType<typeof lotEntries>['execute']>>[number];

async function withImages(db: Db, found: FoundLotEntry[]): Promise<KnownLotEntry[]> {
  const images = await imagesOfOwners(
    db,
    found.flatMap(({ reading_uid }) => reading_uid ?? []),
  );
  return found.map(({ reading_uid, plate, make, color, model, device_id, name, ...entry }) => ({
    entry,
    reading: { plate, make, color, model },
    images: images.get(reading_uid ?? '') ?? { full: null, cropped: null },
    camera: { id: entry.lpr_camera_id, device_id: device_id ?? '', name: name ?? '' },
  }));
}
