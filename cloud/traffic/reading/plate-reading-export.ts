/** GET /v2/plate-readings/export. */
import type { Db, Row, RunReport } from '../../kernel/store/entry.js';
import {
  type AnyQuery,
  type Endpoint,
  EXPORT_PIECE_ROWS,
  type ExportAsked,
  type ExportEndpoint,
  exportOf,
  isoTime,
  type LineOf,
  readPieces,
} from '../../rest/entry.js';
import { type ExportColumns, linesOf, localTimeOf, namesIn, readExportNames, utcOffsetOf } from '../../site/entry.js';
import { PLATE_READING_LIST } from './plate-reading-list.js';

const EXPORT = exportOf(PLATE_READING_LIST);

/** All that a file has of a reading; what its decision saw is long, and left out. */
const READ = [
  'id',
  'lot_id',
  'zone_id',
  'lpr_camera_id',
  'plate',
  'direction',
  'access_decision',
  'access_decision_reason',
  'confidence',
  'country_code',
  'type',
  'make',
  'color',
  'model',
  'session_id',
  'handled_how',
  'handled_by',
  'handled_at',
  'created_at',
  'updated_at',
] as const;

type ExportedReading = Pick<Row<'plate_readings'>, (typeof READ)[number]> & { camera_name: string | null };

const plain = (name: Exclude<(typeof READ)[number], 'created_at' | 'updated_at' | 'handled_at'>) => {
  return (reading: ExportedReading) => reading[name];
};
const timeOf = (at: number | null) => (at === null ? null : isoTime(at));

const COLUMNS: ExportColumns<ExportedReading> = {
  id: plain('id'),
  created_at: ({ created_at }) => timeOf(created_at),
  read_at_local: (reading, names) => localTimeOf(timeOf(reading.created_at), reading, names),
  read_at_offset: (reading, names) => utcOffsetOf(timeOf(reading.created_at), reading, names),
  lot_name: ({ lot_id }, { lots }) => lots.get(lot_id) ?? null,
  zone_name: ({ zone_id }, { zones }) => zones.get(zone_id) ?? null,
  camera_name: ({ camera_name }) => camera_name,
  direction: plain('direction'),
  plate: plain('plate'),
  country_code: plain('country_code'),
  type: plain('type'),
  make: plain('make'),
  model: plain('model'),
  color: plain('color'),
  confidence: plain('confidence'),
  access_decision: plain('access_decision'),
  access_decision_reason: plain('access_decision_reason'),
  handled_how: plain('handled_how'),
  handled_by: plain('handled_by'),
  handled_at: ({ handled_at }) => timeOf(handled_at),
  session_id: plain('session_id'),
  lot_id: plain('lot_id'),
  zone_id: plain('zone_id'),
  lpr_camera_id: plain('lpr_camera_id'),
  updated_at: ({ updated_at }) => timeOf(updated_at),
};

export const readingExportEndpoint = ({ exported }: { exported: ExportEndpoint }): Endpoint =>
  exported({
    ...EXPORT,
    path: '/v2/plate-readings/export',
    auditAs: 'plate_reading.export',
    summary: 'Plate readings as CSV, the newest first',
    tag: 'Plate readings',
    name: 'plate-readings.csv',
    header: Object.keys(COLUMNS),
    piecesOf: readingPieces,
  });

async function* readingPieces(report: RunReport, asked: ExportAsked, line: LineOf): AsyncGenerator<string> {
  const { account_id } = asked.caller;
  const names = await report((db) => readExportNames(db, asked.caller));
  const cameras = await report((db) => namesIn(db, account_id, 'deleted_lpr_cameras', 'lpr_cameras'));
  const lines = linesOf(COLUMNS, { names, line });
  for await (const readings of readPieces(report, PLATE_READING_LIST, {
    ...asked,
    pieceRows: EXPORT_PIECE_ROWS,
    read: (_db: Db, matching: AnyQuery) =>
      matching.select(READ.map((each) => `plate_readings.${each}` as const)).execute(),
  })) {
    yield lines(
      readings.map((reading) => ({ ...reading, camera_name: cameras.get(reading.lpr_camera_id ?? 0) ?? null })),
    );
  }
}
