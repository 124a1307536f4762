/** Reads all sessions that match a request's filters, for an export. */
import { timezonesOfLots } from '../../site/entry.js';
import type { Db, RunReport } from '../../kernel/store/entry.js';
import { type AnyQuery, type ListRequest, readPieces } from '../../rest/entry.js';
import { SESSION_LIST } from './session-list.js';
import { versionsByIds } from '../tariff/tariff-version-queries.js';
import { distinct, SHOWN_COLUMNS, type SessionPlate, type ShownSession } from './session-detail-queries.js';

/** An export has no images. */
const NO_IMAGES: SessionPlate['images'] = { full: null, cropped: null };

/** Reads the sessions piece by piece, the newest first; each piece is one report. */
export async function* readSessionPieces(
  report: RunReport,
  asked: Pick<ListRequest, 'caller' | 'conditions'>,
  pieceRows: number,
): AsyncGenerator<ShownSession[]> {
  const timezones = await report((db) => timezonesOfLots(db, [...asked.caller.lot_ids]));
  for await (const rows of readPieces(report, SESSION_LIST, { ...asked, pieceRows, read: readWithPlates })) {
    yield rows.map(({ version, ...session }) => ({
      session,
      version,
      timezone: timezones.get(session.lot_id) ?? 'UTC',
      entry: plateOf(session.entry_reading_id, session.entry_plate),
      exit: plateOf(session.exit_reading_id, session.exit_plate),
    }));
  }
}

async function readWithPlates(db: Db, matching: AnyQuery) {
  const rows = await matching
    .leftJoin('plate_readings as entry', 'entry.id', 'sessions.entry_reading_id')
    .leftJoin('plate_readings as exit', 'exit.id', 'sessions.exit_reading_id')
    .select(SHOWN_COLUMNS.map((column) => `sessions.${column}` as const))
    .select(['entry.plate as entry_plate', 'exit.plate as exit_plate'])
    .execute();
  const versions = await versionsByIds(db, distinct(rows.map(({ tariff_version_id }) => tariff_version_id)));
  return rows.map((session) => ({ ...session, version: versions.get(session.tariff_version_id ?? -1) ?? null }));
}

const plateOf = (reading_id: number | null, plate: string | null): SessionPlate | null =>
  reading_id === null || plate === null ? null : { reading_id, plate, images: NO_IMAGES };
