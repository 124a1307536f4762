/** Stores the lanes: rows numbered without gaps, and counters in memory that are written with each commit. */
import type Database from 'better-sqlite3';
import type { Lane } from '../../shared/uplink.js';
import type { WaitingLane, WaitingRow } from './agent-store.js';
import { checksum, type OutboxColumns, positionOf, rowBytes } from './sqlite-agent-rows.js';

const COUNTER_FIELDS = ['base', 'first', 'last', 'bytes', 'kept', 'kept_bytes'] as const;

export interface LaneCounter {
  lane: Lane;
  /** seq = number - base */
  base: number;
  /** The number of the oldest row that waits; last + 1 when there is none. */
  first: number;
  last: number;
  /** The bytes of the rows that wait. */
  bytes: number;
  /** The number of the oldest row that is kept although it was acknowledged; `first` when there is none. */
  kept: number;
  kept_bytes: number;
}

export type Lanes = ReturnType<typeof createLanes>;

export const rowCount = (counter: LaneCounter): number => counter.last - counter.first + 1;
export const keptCount = (counter: LaneCounter): number => counter.first - counter.kept;

export function createLanes(db: Database.Database) {
  const counters = createCounters(db);
  return { ...createRows(db, counters), ...createKeptRows(db) };
}

/** The counters of the `lanes` table in memory; a transaction that fails restores them. */
function createCounters(db: Database.Database) {
  const save = db.prepare(
    'UPDATE lanes SET base = ?, first = ?, last = ?, bytes = ?, kept = ?, kept_bytes = ? WHERE lane = ?',
  );
  const load = db.prepare<[], LaneCounter>(
    'SELECT lane, base, first, last, bytes, kept, kept_bytes FROM lanes ORDER BY lane',
  );
  let counters = load.all();
  let saved = load.all();
  const mark = (): LaneCounter[] => counters.map((counter) => ({ ...counter }));
  return {
    all: (): LaneCounter[] => counters,
    of(lane: Lane): LaneCounter {
      const counter = counters[lane];
      if (counter === undefined) throw new Error(`lane ${lane} is unknown`);
      return counter;
    },
    mark,
    restore(marked: LaneCounter[]): void {
      counters = marked;
    },
    /** Writes the counters that changed. Call it before each commit. */
    save(): void {
      for (const counter of counters) {
        const before = saved[counter.lane];
        if (before !== undefined && COUNTER_FIELDS.every((field) => before[field] === counter[field])) continue;
        save.run(...COUNTER_FIELDS.map((field) => counter[field]), counter.lane);
      }
    },
    /** Notes that the counters are on the disk. Call it after each commit. */
    committed(): void {
      saved = mark();
    },
  };
}

/** How much of a record its stamp takes at most. */
const HEAD_LENGTH = 300;
const HEAD = /^\{"uid":"[^"]*","boot_id":"([^"]*)","mono_ms":(\d+),"wall_ms":(\d+),"clock_ok":(true|false),/;

interface WaitingColumns extends Pick<OutboxColumns, 'position' | 'bytes'> {
  head: string;
  kind: string | null;
  plate: string | null;
}

function waitingRowOf({ lane, base }: LaneCounter, { position, bytes, head, kind, plate }: WaitingColumns): WaitingRow {
  const [, boot_id, mono_ms = 0, wall_ms = 0, clock_ok] = HEAD.exec(head) ?? [];
  return {
    seq: position - positionOf(lane, base),
    boot_id: boot_id ?? '',
    mono_ms: Number(mono_ms),
    wall_ms: Number(wall_ms),
    clock_ok: clock_ok === 'true',
    kind: boot_id === undefined ? 'damaged' : (kind ?? 'damaged'),
    bytes,
    plate,
  };
}

/** The positions of some rows of a lane. */
const range = ({ lane }: LaneCounter, from: number, to: number): [number, number] => [
  positionOf(lane, from),
  positionOf(lane, to),
];

/** Prepares the statements on rows between two positions. */
function prepareRanges(db: Database.Database) {
  return {
    selectSizes: db
      .prepare<[number, number, number], number>(
        'SELECT bytes FROM outbox WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?',
      )
      .pluck(),
    sumSizes: db
      .prepare<[number, number], number>('SELECT coalesce(sum(bytes), 0) FROM outbox WHERE position BETWEEN ? AND ?')
      .pluck(),
    deleteRows: db.prepare('DELETE FROM outbox WHERE position BETWEEN ? AND ?'),
  };
}

/** The rows that stay after they were acknowledged. */
function createKeptRows(db: Database.Database) {
  const { selectSizes, sumSizes, deleteRows } = prepareRanges(db);
  return {
    /** Has the rows up to a number wait no more; they stay. */
    keepUpTo(counter: LaneCounter, number: number): void {
      const bytes = sumSizes.get(...range(counter, counter.first, number)) ?? 0;
      counter.bytes -= bytes;
      counter.kept_bytes += bytes;
      counter.first = number + 1;
    },
    /** Has the kept rows from a number on wait again. */
    putBack(counter: LaneCounter, number: number): void {
      const bytes = sumSizes.get(...range(counter, number, counter.first - 1)) ?? 0;
      counter.bytes += bytes;
      counter.kept_bytes -= bytes;
      counter.first = number;
    },
    /** Deletes the oldest kept rows, up to a number. */
    dropKept(counter: LaneCounter, number: number): void {
      const dropped = range(counter, counter.kept, number);
      counter.kept_bytes -= sumSizes.get(...dropped) ?? 0;
      deleteRows.run(...dropped);
      counter.kept = number + 1;
    },
    keptSizes: (counter: LaneCounter, rowsMax: number): number[] =>
      selectSizes.all(...range(counter, counter.kept, counter.first - 1), rowsMax),
  };
}

function createRows(db: Database.Database, counters: ReturnType<typeof createCounters>) {
  const insertRow = db.prepare('INSERT INTO outbox (position, bytes, crc, record, jpeg) VALUES (?, ?, ?, ?, ?)');
  const selectRows = db.prepare<[number, number, number], OutboxColumns>(
    'SELECT position, bytes, crc, record, jpeg FROM outbox WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?',
  );
  const { selectSizes, sumSizes, deleteRows } = prepareRanges(db);
  // A picture's record has no end of its own, and its head says all that is shown of it.
  const selectWaiting = db.prepare<[number, number, number], WaitingColumns>(
    `SELECT position, bytes, substr(record, 1, ${HEAD_LENGTH}) AS head,
      CASE WHEN jpeg IS NOT NULL THEN 'image' WHEN json_valid(record) THEN json_extract(record, '$.payload.kind') END AS kind,
      CASE WHEN jpeg IS NULL AND json_valid(record) THEN json_extract(record, '$.payload.reading.plate') END AS plate
    FROM outbox WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?`,
  );
  const replaceRow = db.prepare('UPDATE outbox SET bytes = ?, crc = ?, record = ? WHERE position = ?');
  return {
    ...counters,
    /** Adds a row at the end. Returns its number. */
    push(counter: LaneCounter, record: string, jpeg: Uint8Array | null): number {
      const bytes = rowBytes(record, jpeg);
      const number = counter.last + 1;
      insertRow.run(positionOf(counter.lane, number), bytes, checksum(record, jpeg), record, jpeg);
      counter.last = number;
      counter.bytes += bytes;
      return number;
    },
    /** Deletes the oldest rows of those that wait, up to a number. None may be kept: the lane would have a hole. */
    dropUpTo(counter: LaneCounter, number: number): void {
      const dropped = range(counter, counter.first, number);
      counter.bytes -= sumSizes.get(...dropped) ?? 0;
      deleteRows.run(...dropped);
      counter.first = number + 1;
      counter.kept = counter.first;
    },
    /** Writes another text in place of a record. */
    replace(counter: LaneCounter, number: number, record: string): void {
      const bytes = rowBytes(record, null);
      counter.bytes += bytes - (sumSizes.get(...range(counter, number, number)) ?? 0);
      replaceRow.run(bytes, checksum(record, null), record, positionOf(counter.lane, number));
    },
    rowsFrom: (counter: LaneCounter, number: number, rowsMax: number): IterableIterator<OutboxColumns> =>
      selectRows.iterate(...range(counter, number, counter.last), rowsMax),
    waiting: (rowsMax: number): Pick<WaitingLane, 'lane' | 'oldest'>[] =>
      counters.all().map((counter) => ({
        lane: counter.lane,
        oldest: selectWaiting
          .all(...range(counter, counter.first, counter.last), rowsMax)
          .map((row) => waitingRowOf(counter, row)),
      })),
    oldestSizes: (counter: LaneCounter, rowsMax: number): number[] =>
      selectSizes.all(...range(counter, counter.first, counter.last), rowsMax),
  };
}
