/** Reads the newest records about vehicles from the file, whether they wait or are kept. Runs in the store's worker thread. */
import type Database from 'better-sqlite3';
import { decodeJson, type JsonText } from '../../shared/json-text-codec.js';
import type { OutboxRow } from './agent-store.js';
import { isLatest, LATEST_ROWS_MAX, type LatestRecord } from './latest-records.js';
import { attempt } from './sqlite-agent-read-around.js';
import { checksum, LANE_ROWS_MAX, positionOf } from './sqlite-agent-rows.js';

/** Reads the records that the page of the gateway begins with. A damaged row is left out. */
export function readLatest(db: Database.Database): LatestRecord[] {
  const newest = db.prepare<[number, number, number], { record: JsonText<OutboxRow>; crc: number }>(
    'SELECT record, crc FROM outbox WHERE position BETWEEN ? AND ? AND jpeg IS NULL ORDER BY position DESC LIMIT ?',
  );
  const rows = ([0, 1] as const).flatMap((lane) =>
    newest.all(positionOf(lane, 0), positionOf(lane, LANE_ROWS_MAX), LATEST_ROWS_MAX),
  );
  return rows
    .filter(({ record, crc }) => checksum(record, null) === crc)
    .flatMap(({ record }) => attempt(() => decodeJson(record)) ?? [])
    .filter(isLatest)
    .toSorted((a, b) => a.wall_ms - b.wall_ms || (a.uid < b.uid ? -1 : 1));
}
