/** Reads and writes lot entries, and reads exits that have no session. */
import { sql } from 'kysely';
import type { LotEntryCamera } from '../../equipment/entry.js';
import { imagesOfOwners } from '../image/image-queries.js';
import { PLATE_AT_COLUMNS, type PlateAt, type PlateOfLot } from '../session/session-queries.js';
import { lookupRows, type Db, insertNumbered, type NewRow, type Row } from '../../kernel/store/entry.js';
import type { LotEntryDetails } from './lot-entry-event-payload.js';

/** Inserts lot entries. @returns their ids, in the order of the rows */
export function insertLotEntries(db: Db, rows: readonly NewRow<'lot_entries'>[]): Promise<number[]> {
  return insertNumbered(db, 'lot_entries', rows);
}

/** A stored lot entry with its details and its camera's name. */
export type KnownLotEntry = LotEntryDetails & { camera: Pick<LotEntryCamera, 'id' | 'device_id' | 'name'> };

/**
 * How many reads of a plate beside a time are looked at for one that let it in or out. There are denied ones among them, as of a vehicle that
 * waits at a barrier, but a plate with any number of them must cost no more than this.
 */
const READS_BESIDE_MAX = 20;

/**
 * Lists the lot entries of these readings, and of each plate the last one, up to its time, that let it into or out of the lot, if it is among
 * the plate's last `READS_BESIDE_MAX` reads there.
 */
export async function lotEntriesOfExits(
  db: Db,
  wanted: { reading_ids: readonly number[]; plates: readonly PlateAt[] },
): Promise<(KnownLotEntry & Pick<PlateOfLot, 'plate_normalised'>)[]> {
  const { reading_ids, plates } = wanted;
  const ofReadings =
    reading_ids.length === 0
      ? []
      : await lotEntries(db).where('lot_entries.plate_reading_id', 'in', reading_ids).execute();
  const asked = lookupRows(db, PLATE_AT_COLUMNS, plates);
  const last = sql<number>`(
    select (select entry.id from (
        select reading.id, reading.created_at from plate_readings as reading
        where reading.lot_id = asked.lot_id and reading.plate_normalised = asked.plate_normalised
          and reading.created_at <= asked.at
        order by reading.created_at desc, reading.id desc limit ${sql.lit(READS_BESIDE_MAX)}
      ) as before inner join lot_entries as entry on entry.plate_reading_id = before.id
      where entry.lot_id = asked.lot_id and entry.is_allowed = 1
      order by before.created_at desc, entry.id desc limit 1) from ${asked} as asked)`;
  const ofPlates = plates.length === 0 ? [] : await lotEntries(db).where('lot_entries.id', 'in', last).execute();
  return withImages(db, [...ofReadings, ...ofPlates]);
}

export async function lotEntriesByIds(db: Db, ids: readonly number[]): Promise<(KnownLotEntry & { id: number })[]> {
  const entries = await withImages(db, await lotEntries(db).where('lot_entries.id', 'in', ids).execute());
  return entries.map((known) => ({ id: known.entry.id, ...known }));
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
      'plate_readings.plate_normalised',
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
  'id' | 'lot_id' | 'plate_normalised' | 'created_at' | 'lpr_camera_id'
>;

/**
 * Lists the exits that were allowed, or refused and let out by a person, although no session was known: for each plate the first one from its
 * time on, if it is among the next `READS_BESIDE_MAX` at an exit. The earliest comes first.
 */
export async function exitsWithoutSession(db: Db, plates: readonly PlateAt[]): Promise<ExitWithoutSession[]> {
  if (plates.length === 0) return [];
  const { rows } = await sql<ExitWithoutSession>`
    select reading.id, reading.lot_id, reading.plate_normalised, reading.created_at, reading.lpr_camera_id
    from (
      select distinct (select after.id from (
          select candidate.id, candidate.created_at, candidate.handled_how from plate_readings as candidate
          where candidate.lot_id = asked.lot_id and candidate.plate_normalised = asked.plate_normalised
            and candidate.created_at >= asked.at and candidate.session_id is null and candidate.direction = 'out'
          order by candidate.created_at, candidate.id limit ${sql.lit(READS_BESIDE_MAX)}
        ) as after left join lot_entries as entry on entry.plate_reading_id = after.id
        where (entry.direction = 'out' and entry.is_allowed = 1) or after.handled_how = 'let_in'
        order by after.created_at, after.id limit 1) as id from ${lookupRows(db, PLATE_AT_COLUMNS, plates)} as asked
    ) as found inner join plate_readings as reading on reading.id = found.id`.execute(db);
  return rows.toSorted((a, b) => a.created_at - b.created_at || a.id - b.id);
}

type FoundLotEntry = Awaited<ReturnType<ReturnType<typeof lotEntries>['execute']>>[number];

async function withImages(
  db: Db,
  found: FoundLotEntry[],
): Promise<(KnownLotEntry & Pick<FoundLotEntry, 'plate_normalised'>)[]> {
  const images = await imagesOfOwners(
    db,
    found.flatMap(({ reading_uid }) => reading_uid ?? []),
  );
  return found.map(({ reading_uid, plate, plate_normalised, make, color, model, device_id, name, ...entry }) => ({
    entry,
    plate_normalised,
    reading: { plate, make, color, model },
    images: images.get(reading_uid ?? '') ?? { full: null, cropped: null },
    camera: { id: entry.lpr_camera_id, device_id: device_id ?? '', name: name ?? '' },
  }));
}
