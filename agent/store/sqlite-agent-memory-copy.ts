/**
 * The copy in memory that the gateway works with while the disk refuses to write: the data for decisions, and the
 * records that wait. When the disk accepts writes again, the copy goes into the file. Records made meanwhile are sent
 * to the cloud as ever, and a power cut loses the rest.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Lane } from '../../shared/uplink.js';
import type { StoreLimits } from './agent-store.js';
import { LANE_ROWS_MAX, LANES, type OutboxColumns, positionOf } from './sqlite-agent-rows.js';
import { COPIED_TABLES } from './sqlite-agent-salvage.js';
import { migrate } from './sqlite-agent-schema.js';

const MEBIBYTE = 1024 * 1024;
/** So much may come to the outbox while it is in memory, and of so much that waits on the disk there is a copy. */
const RECORDS_BYTES_MAX = 32 * MEBIBYTE;
const MEMORY_BYTES_MAX = 192 * MEBIBYTE;
/** So much of what is acknowledged meanwhile is kept. */
const KEPT_BYTES_MAX = 4 * MEBIBYTE;
/** A larger file is not read into memory as a whole. */
const IMAGE_BYTES_MAX = 256 * MEBIBYTE;
/** Linux has a file system in memory there. */
const MEMORY_FILES = '/dev/shm';
/** Where SQLite's file says that it has a write-ahead log: 2; without one: 1. */
const JOURNAL_FORMAT_BYTES = [18, 19];

export interface MemoryCopy {
  db: Database.Database;
  limits: StoreLimits;
  /** Lanes whose rows stay on the disk: they are not sent before it takes writes again. */
  held: ReadonlySet<Lane>;
}

/**
 * Copies what is needed of a file on a disk that cannot be written. SQLite would make a write-ahead log where there is none, and a lock where there
 * is one: so it gets the file as an image, or with its log in a file system of the memory.
 * @throws when it cannot be read, or is none of an agent
 */
export function copyUnwritable(path: string, limits: StoreLimits): MemoryCopy {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const [bytes, logBytes] = [sizeOf(path), sizeOf(`${path}-wal`)];
  if (bytes === 0 || bytes + logBytes > IMAGE_BYTES_MAX) throw new Error(`${path} has ${bytes + logBytes} bytes`);
  if (logBytes === 0) {
    const image = readFileSync(path);
    for (const at of JOURNAL_FORMAT_BYTES) image[at] = 1;
    return copyAndClose(new Database(image), limits);
  }
  const directory = mkdtempSync(join(MEMORY_FILES, 'agent-'));
  try {
    const file = join(directory, 'agent.db');
    copyFileSync(path, file);
    copyFileSync(`${path}-wal`, `${file}-wal`);
    return copyAndClose(new Database(file), limits);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function copyAndClose(db: Database.Database, limits: StoreLimits): MemoryCopy {
  try {
    // This fails where the file is none of an agent.
    db.prepare('SELECT 1 FROM meta').get();
    return copyToMemory(db, limits);
  } finally {
    db.close();
  }
}

/** Copies what is needed of a file to memory. */
export function copyToMemory(disk: Database.Database, limits: StoreLimits): MemoryCopy {
  const db = new Database(':memory:');
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  db.pragma(`max_page_count = ${Math.floor(MEMORY_BYTES_MAX / pageBytes)}`);
  migrate(db);
  const held = new Set<Lane>([2]);
  db.transaction(() => {
    for (const table of COPIED_TABLES) copyRows(disk, db, table);
    copyMeta(disk, db);
    db.prepare('DELETE FROM lanes').run();
    copyRows(disk, db, 'lanes');
    // Acknowledged rows stay on the disk.
    db.prepare('UPDATE lanes SET kept = first, kept_bytes = 0').run();
    let room = RECORDS_BYTES_MAX;
    for (const lane of [0, 1] as const) {
      const { bytes, first } = counterOf(db, lane);
      room -= bytes;
      if (room < 0) held.add(lane);
      else copyOutbox(disk, db, { lane, first });
    }
  })();
  const waiting = LANES.reduce((sum: number, lane) => sum + counterOf(db, lane).bytes, 0);
  const keptBytesMax = Math.min(limits.keptBytesMax, KEPT_BYTES_MAX);
  return { db, held, limits: { ...limits, keptBytesMax, outboxBytesMax: waiting + RECORDS_BYTES_MAX } };
}

/** Puts the copy in the place of what the file holds, in one transaction. Rows of the outbox that are on the disk alone remain. */
export function copyToDisk({ db: memory }: MemoryCopy, disk: Database.Database): void {
  const sumOf = '(SELECT coalesce(sum(bytes), 0) FROM outbox WHERE position BETWEEN ? AND ?)';
  const saveLane = disk.prepare(
    `UPDATE lanes SET base = ?, first = ?, last = ?, bytes = ${sumOf}, kept = ?, kept_bytes = ${sumOf} WHERE lane = ?`,
  );
  const dropRows = disk.prepare('DELETE FROM outbox WHERE position BETWEEN ? AND ?');
  disk
    .transaction(() => {
      for (const table of COPIED_TABLES) {
        disk.prepare(`DELETE FROM ${table}`).run();
        copyRows(memory, disk, table);
      }
      copyMeta(memory, disk);
      for (const lane of LANES) {
        const { base, first, last, kept: memoryKept } = counterOf(memory, lane);
        const before = counterOf(disk, lane);
        // Rows that were acknowledged meanwhile are still on the disk, and stay. Behind those that the memory alone had, and dropped, is a hole.
        const kept = memoryKept <= before.last + 1 ? before.kept : memoryKept;
        dropRows.run(positionOf(lane, 0), positionOf(lane, kept - 1));
        copyOutbox(memory, disk, { lane, first: 0 });
        const waiting = [positionOf(lane, first), positionOf(lane, last)];
        const acknowledged = [positionOf(lane, kept), positionOf(lane, first - 1)];
        saveLane.run(base, first, last, ...waiting, kept, ...acknowledged, lane);
      }
    })
    .immediate();
}

interface Counter {
  base: number;
  first: number;
  last: number;
  bytes: number;
  kept: number;
}

const counterOf = (db: Database.Database, lane: Lane): Counter =>
  db.prepare<[number], Counter>('SELECT base, first, last, bytes, kept FROM lanes WHERE lane = ?').get(lane) ?? {
    base: 0,
    first: 1,
    last: 0,
    bytes: 0,
    kept: 1,
  };

function copyMeta(from: Database.Database, into: Database.Database): void {
  const meta = from.prepare<[], [string, number]>('SELECT epoch, clock_floor_ms FROM meta').raw().get();
  if (meta !== undefined) into.prepare('UPDATE meta SET epoch = ?, clock_floor_ms = ?').run(...meta);
  if (columnsOf(from, 'confirmed_time').length === 0) return;
  const confirmed = from.prepare<[], number>('SELECT wall_ms FROM confirmed_time').pluck().get();
  into.prepare('UPDATE confirmed_time SET wall_ms = ?').run(confirmed ?? 0);
}

/** Copies the columns that both have: another agent may have written the file. */
function copyRows(from: Database.Database, into: Database.Database, table: string): void {
  const known = new Set(columnsOf(into, table));
  const columns = columnsOf(from, table).filter((name) => known.has(name));
  const insert = into.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`);
  for (const row of from
    .prepare<[], unknown[]>(`SELECT ${columns.join()} FROM ${table} ORDER BY rowid`)
    .raw()
    .iterate())
    insert.run(row);
}

/** None of a table that is not there. */
const columnsOf = (db: Database.Database, table: string): string[] =>
  (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);

function copyOutbox(
  from: Database.Database,
  into: Database.Database,
  { lane, first }: { lane: Lane; first: number },
): void {
  const insert = into.prepare(
    'INSERT OR REPLACE INTO outbox (position, bytes, crc, record, jpeg) VALUES (?, ?, ?, ?, ?)',
  );
  const rows = from.prepare<[number, number], OutboxColumns>(
    'SELECT position, bytes, crc, record, jpeg FROM outbox WHERE position BETWEEN ? AND ? ORDER BY position',
  );
  for (const { position, bytes, crc, record, jpeg } of rows.iterate(
    positionOf(lane, first),
    positionOf(lane, LANE_ROWS_MAX),
  ))
    insert.run(position, bytes, crc, record, jpeg);
}
