/** Reads all sessions that match a request's filters, for an export. */
import { timezonesOfLots } from '../lot/lot-queries.js';
import type { Db } from '../store/cloud-store.js';
import { type AnyQuery, type ListRequest, readPieces } from '../list/list-table.js';
import { SESSION_LIST } from './session-list.js';
import { SHOWN_COLUMNS, type SessionPlate, type ShownSession, versionsOfOpen } from './session-detail-queries.js';

/** An export has no images. */
const NO_IMAGES: SessionPlate['images'] = { full: null, cropped: null };

/** Reads the sessions piece by piece, the newest first; each piece is one query. */
export async function* readSessionPieces(
  db: Db,
  asked: Pick<ListRequest, 'caller' | 'conditions'>,
  pieceRows: number,
): AsyncGenerator<ShownSession[]> {
  const timezones = await timezonesOfLots(db, [...asked.caller.lot_ids]);
  for await (const rows of readPieces(db, SESSION_LIST, { ...asked, pieceRows, select: withPlates })) {
    const versions = await versionsOfOpen(db, rows);
    yield rows.map((session) => ({
      session,
      version: versions.get(session.id) ?? null,
      timezone: timezones.get(session.lot_id) ?? 'UTC',
      entry: plateOf(session.entry_reading_id, session.entry_plate),
      exit: plateOf(session.exit_reading_id, session.exit_plate),
    }));
  }
}

const withPlates = (matching: AnyQuery) =>
  matching
    .leftJoin('plate_readings as entry', 'entry.id', 'sessions.entry_reading_id')
    .leftJoin('plate_readings as exit', 'exit.id', 'sessions.exit_reading_id')
    .select(SHOWN_COLUMNS.map((column) => `sessions.${column}` as const))
    .select(['entry.plate as entry_plate', 'exit.plate as exit_plate']);

const plateOf = (reading_id: number | null, plate: string | null): SessionPlate | null =>
  reading_id === null || plate === null ? null : { reading_id, plate, images: NO_IMAGES };
