/** Copies what can still be read of a damaged file into a new one, under a new outbox epoch, and reports the rest as lost. */
import Database from 'better-sqlite3';
import { uuidv7 } from 'uuidv7';
import { revisionOf } from '../../shared/config-revision.js';
import type { Uid } from '../../shared/ids.js';
import type { Lane } from '../../shared/uplink.js';
import { encodeRecord } from './outbox-codec.js';
import { attempt, readAround } from './sqlite-agent-read-around.js';
import { checksum, LANE_ROWS_MAX, LANES, type OutboxColumns, positionOf, rowBytes } from './sqlite-agent-rows.js';

/** Tables that are copied as they are. Each has a rowid, so that rows behind a hole can be found. */
export const COPIED_TABLES = [
  'sessions',
  'recent_reads',
  'intents',
  'told',
  'camera_clocks',
  'config_sections',
  'config_items',
] as const;

export interface SalvageOptions {
  damagedPath: string;
  into: Database.Database;
  boot_id: Uid;
  opened_ms: number;
}

/** The number of saved rows by table. */
export type Salvaged = Record<string, number>;

/** Copies what can be read, in one transaction. A file that cannot be opened yields nothing. */
export function salvage(options: SalvageOptions): Salvaged {
  let damaged: Database.Database;
  try {
    damaged = new Database(options.damagedPath, { readonly: true });
    // This lets SQLite read a file that is shorter than its head says.
    damaged.unsafeMode().pragma('writable_schema = ON');
    // This reads only the definitions of the tables.
    damaged.prepare('SELECT 1 FROM outbox LIMIT 0').all();
  } catch {
    return {};
  }
  try {
    return options.into.transaction(() => copyAll(damaged, options))();
  } finally {
    damaged.close();
  }
}

function copyAll(damaged: Database.Database, options: SalvageOptions): Salvaged {
  const { into } = options;
  const salvaged: Salvaged = {};
  for (const table of COPIED_TABLES) salvaged[table] = copyTable(damaged, into, table);
  salvaged.outbox = copyOutbox(damaged, options);
  const floor = attempt(() => damaged.prepare('SELECT clock_floor_ms FROM meta').pluck().get());
  into.prepare('UPDATE meta SET clock_floor_ms = ?').run(Number(floor ?? 0));
  const confirmed = attempt(() => damaged.prepare('SELECT wall_ms FROM confirmed_time').pluck().get());
  into.prepare('UPDATE confirmed_time SET wall_ms = ?').run(Number(confirmed ?? 0));
  reviseConfig(into);
  return salvaged;
}

/** A section that lost items gets another revision, so that the cloud sends it again. */
function reviseConfig(into: Database.Database): void {
  const items = into
    .prepare<[string], [key: string, item: string]>('SELECT key, item FROM config_items WHERE section = ?')
    .raw();
  const sections = into.prepare<[], string>('SELECT section FROM config_sections').pluck().all();
  const setRevision = into.prepare('UPDATE config_sections SET revision = ? WHERE section = ?');
  for (const section of sections) {
    const parsed = items.all(section).map(([key, item]): [string, unknown] => [key, JSON.parse(item)]);
    setRevision.run(revisionOf(parsed), section);
  }
}

interface Gap {
  lane: Lane;
  from: number;
  to: number;
}

/** Copies the lanes, numbered from 1 without gaps, and ends with a `lost` record for each gap. Returns the rows copied. */
function copyOutbox(damaged: Database.Database, { into, boot_id, opened_ms }: SalvageOptions): number {
  const overlay = renumberedOverlay(into);
  const insert = into.prepare('INSERT INTO outbox (position, bytes, crc, record, jpeg) VALUES (?, ?, ?, ?, ?)');
  const totals: Record<Lane, { last: number; bytes: number }> = {
    0: { last: 0, bytes: 0 },
    1: { last: 0, bytes: 0 },
    2: { last: 0, bytes: 0 },
  };
  const put = (lane: Lane, row: { record: string; jpeg: Buffer | null }): number => {
    const bytes = rowBytes(row.record, row.jpeg);
    const number = ++totals[lane].last;
    totals[lane].bytes += bytes;
    insert.run(positionOf(lane, number), bytes, checksum(row.record, row.jpeg), row.record, row.jpeg);
    return number;
  };
  const gaps: Gap[] = [];
  for (const lane of LANES) {
    const first = positionOf(lane, 0);
    const tracker = gapTracker(damaged, lane);
    for (const row of readAround<OutboxColumns>(damaged, 'outbox', [first, positionOf(lane, LANE_ROWS_MAX)])) {
      if (tracker.isKept(row.position - first) || checksum(row.record, row.jpeg) !== row.crc) continue;
      tracker.found(row.position - first);
      const number = put(lane, row);
      if (lane === 0) overlay.renumber(row.position - first, number);
    }
    gaps.push(...tracker.end());
  }
  overlay.save();
  const copied = Object.values(totals).reduce((sum, { last }) => sum + last, 0);
  for (const gap of gaps) {
    const stamp = { uid: uuidv7() as Uid, mono_ms: 0, wall_ms: opened_ms, clock_ok: false };
    put(0, { record: encodeRecord(stamp, boot_id, { kind: 'lost', ...gap }), jpeg: null });
  }
  const saveLane = into.prepare('UPDATE lanes SET base = 0, first = 1, last = ?, bytes = ? WHERE lane = ?');
  for (const lane of LANES) saveLane.run(totals[lane].last, totals[lane].bytes, lane);
  return copied;
}

/** Notes which numbers are missing between those found, and before and after them if the lane's counter can be read. */
function gapTracker(damaged: Database.Database, lane: Lane) {
  const counter = attempt(() =>
    damaged
      .prepare<[number], { base: number; first: number; last: number }>(
        'SELECT base, first, last FROM lanes WHERE lane = ?',
      )
      .get(lane),
  );
  const base = counter?.base ?? 0;
  const gaps: Gap[] = [];
  let expected = counter?.first;
  const found = (number: number) => {
    if (expected !== undefined && number > expected) gaps.push({ lane, from: expected - base, to: number - 1 - base });
    expected = number + 1;
  };
  return {
    found,
    /** Whether the cloud has acknowledged it. */
    isKept: (number: number): boolean => counter !== undefined && counter !== null && number < counter.first,
    end(): Gap[] {
      if (counter) found(counter.last + 1);
      return gaps;
    },
  };
}

/** A session names the record that carries it: by its new number, or by 0 when the record no longer waits. */
function renumberedOverlay(into: Database.Database) {
  const numbers = into.prepare<[], number>('SELECT DISTINCT number FROM sessions ORDER BY number').pluck().all();
  const renumbered = new Map(numbers.map((number) => [number, 0]));
  const setNumber = into.prepare('UPDATE sessions SET number = ? WHERE number = ?');
  return {
    renumber(from: number, to: number): void {
      if (renumbered.has(from)) renumbered.set(from, to);
    },
    save(): void {
      // The numbers ascend, and no new number is above its old one, so none is renumbered twice.
      for (const [from, to] of renumbered) setNumber.run(to, from);
    },
  };
}

function copyTable(damaged: Database.Database, into: Database.Database, table: string): number {
  let copied = 0;
  for (const { at: _, ...row } of readAround<Record<string, unknown>>(damaged, table, [1, Number.MAX_SAFE_INTEGER])) {
    const columns = Object.keys(row);
    try {
      if (table === 'config_items') JSON.parse(String(row.item));
      copied += into
        .prepare(`INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
        .run(Object.values(row)).changes;
    } catch {
      // A row whose values do not fit the columns was part of the damage.
    }
  }
  return copied;
}
