/** Reads and writes plate readings. */
import { type Db, insertNumbered, type NewRow, type Row } from '../../kernel/store/entry.js';

/** Inserts readings. @returns their ids, in the order of the rows */
export function insertPlateReadings(db: Db, rows: readonly NewRow<'plate_readings'>[]): Promise<number[]> {
  return insertNumbered(db, 'plate_readings', rows);
}

export function insertPlateReading(db: Db, row: NewRow<'plate_readings'>): Promise<Row<'plate_readings'>> {
  return db.insertInto('plate_readings').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function saveReadingSession(db: Db, reading: { id: number; session_id: number }): Promise<void> {
  await db.updateTable('plate_readings').set({ session_id: reading.session_id }).where('id', '=', reading.id).execute();
}

/** Corrects the plate as a person says; `original_plate` keeps the plate that was read first. */
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

export async function findWholeReadings(db: Db, uids: string[]): Promise<Row<'plate_readings'>[]> {
  if (uids.length === 0) return [];
  return db.selectFrom('plate_readings').selectAll().where('uid', 'in', uids).execute();
}

export async function findReadingsById(db: Db, ids: number[]): Promise<KnownReading[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('plate_readings').select(['id', 'uid', 'gateway_id', 'plate']).where('id', 'in', ids).execute();
}
