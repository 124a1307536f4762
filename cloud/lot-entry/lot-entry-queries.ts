/** Reads and writes lot entries, and reads exits that have no session. */
import { sql } from 'kysely';
import type { LotEntryCamera } from '../camera/event-camera-payload.js';
import { imagesOfOwners } from '../image/image-queries.js';
import { type PlateSince, plateValues } from '../session/session-queries.js';
import type { Db } from '../store/cloud-store.js';
import type { NewRow, Row } from '../store/schema.js';
import type { LotEntryDetails } from './lot-entry-event-payload.js';
import { insertNumbered } from '../store/rows-of-statement.js';

/** Inserts lot entries. @returns their ids, in the order of the rows */
export function insertLotEntries(db: Db, rows: readonly NewRow<'lot_entries'>[]): Promise<number[]> {
  return insertNumbered(db, 'lot_entries', rows);
}

/** A stored lot entry with its details and its camera's name. */
export type KnownLotEntry = LotEntryDetails & { camera: Pick<LotEntryCamera, 'id' | 'device_id' | 'name'> };

/** Lists the lot entries of these readings. */
export async function lotEntriesOfReadings(db: Db, reading_ids: number[]): Promise<KnownLotEntry[]> {
  if (reading_ids.length === 0) return [];
  return withImages(db, await lotEntries(db).where('lot_entries.plate_reading_id', 'in', reading_ids).execute());
}

export async function lotEntriesByIds(db: Db, ids: readonly number[]): Promise<(KnownLotEntry & { id: number })[]> {
  const entries = await withImages(db, await lotEntries(db).where('lot_entries.id', 'in', ids).execute());
  return entries.map((known) => ({ id: known.entry.id, ...known }));
}

/** Finds the last lot entry, up to `before`, that let the plate into or out of the lot. */
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
    .leftJoin('deleted_lpr_cameras as deleted', 'deleted.id', 'lot_entries.lpr_camera_id')
    .selectAll('lot_entries')
    .select([
      'plate_readings.uid as reading_uid',
      'plate_readings.plate',
      'plate_readings.make',
      'plate_readings.color',
      'plate_readings.model',
    ])
    .select(({ fn }) => [
      fn.coalesce('lpr_cameras.device_id', 'deleted.device_id').as('device_id'),
      fn.coalesce('lpr_cameras.name', 'deleted.name').as('name'),
    ]);
}

export type ExitWithoutSession = Pick<
  Row<'plate_readings'>,
  'id' | 'plate_normalised' | 'created_at' | 'lpr_camera_id'
>;

/** Lists exits that were allowed although no session was known, for each plate from its time on, the earliest first. */
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
  // Sorted by the database, SQLite would go through the whole lot.
  return rows.toSorted((a, b) => a.created_at - b.created_at || a.id - b.id);
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
