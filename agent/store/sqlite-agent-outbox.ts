/** The outbox in SQL: three lanes of records without gaps, their bounds and what was given up. Runs in the store's worker thread. */
import type Database from 'better-sqlite3';
import { uuidv7 } from 'uuidv7';
import type { Uid } from '../../shared/ids.js';
import type { Epoch, Lane } from '../../shared/uplink.js';
import { StoreError, type OutboxBatch, type OutboxState, type RecordStamp } from './agent-store.js';
import { encodeBatch, encodeRecord, withSeq } from './outbox-codec.js';
import type { WorkerOptions } from './sqlite-agent-protocol.js';
import { checksum, type OutboxColumns, positionOf, rowBytes } from './sqlite-agent-rows.js';
import { newEpoch } from './sqlite-agent-schema.js';

const RECORD_BYTES_MAX = 8 * 1024 * 1024;
const EVICTION_ROWS = 256;

interface LaneCounter {
  lane: Lane;
  base: number;
  /** Number of the oldest row; last + 1 when there is none. */
  first: number;
  last: number;
  bytes: number;
}

/** A `lost` record that nobody has read yet: what is given up next is added to it. */
interface OpenLoss {
  number: number;
  stamp: RecordStamp;
  from: number;
  to: number;
}

export interface OutboxOptions extends Pick<WorkerOptions, 'limits' | 'batch' | 'boot_id'> {
  db: Database.Database;
  warn(fields: Record<string, unknown>, message: string): void;
}

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox({ db, limits, batch: batchMax, boot_id, warn }: OutboxOptions) {
  const insertRow = db.prepare('INSERT INTO outbox (position, bytes, crc, record, jpeg) VALUES (?, ?, ?, ?, ?)');
  const selectRows = db.prepare<[number, number, number], OutboxColumns>(
    'SELECT position, bytes, crc, record, jpeg FROM outbox WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?',
  );
  const sumRows = db.prepare('SELECT coalesce(sum(bytes), 0) FROM outbox WHERE position BETWEEN ? AND ?').pluck();
  const selectSizes = db.prepare<[number, number, number], number>(
    'SELECT bytes FROM outbox WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?',
  );
  selectSizes.pluck();
  const deleteRows = db.prepare('DELETE FROM outbox WHERE position BETWEEN ? AND ?');
  const replaceRecord = db.prepare('UPDATE outbox SET bytes = ?, crc = ?, record = ? WHERE position = ?');
  const saveLane = db.prepare('UPDATE lanes SET base = ?, first = ?, last = ?, bytes = ? WHERE lane = ?');
  const saveEpoch = db.prepare('UPDATE meta SET epoch = ?');

  let lanes = db
    .prepare<[], LaneCounter>('SELECT lane, base, first, last, bytes FROM lanes ORDER BY lane')
    .all() as LaneCounter[];
  let saved = structuredClone(lanes);
  let epoch = db.prepare('SELECT epoch FROM meta').pluck().get() as Epoch;
  const losses = new Map<Lane, OpenLoss>();

  const counterOf = (lane: Lane): LaneCounter => {
    const counter = lanes[lane];
    if (counter === undefined) throw new Error(`lane ${lane} is unknown`);
    return counter;
  };
  const rowsOf = (counter: LaneCounter): number => counter.last - counter.first + 1;
  const total = (of: (counter: LaneCounter) => number): number => lanes.reduce((sum, counter) => sum + of(counter), 0);

  function insert(counter: LaneCounter, record: string, jpeg: Uint8Array | null): number {
    const bytes = rowBytes(record, jpeg);
    const number = counter.last + 1;
    insertRow.run(positionOf(counter.lane, number), bytes, checksum(record, jpeg), record, jpeg);
    counter.last = number;
    counter.bytes += bytes;
    return number;
  }

  /** Adds a record at the end of its lane. Returns its seq. */
  function append(lane: Lane, record: string, jpeg: Uint8Array | null): number {
    const counter = counterOf(lane);
    const critical = counterOf(0);
    const bytes = rowBytes(record, jpeg);
    if (bytes > RECORD_BYTES_MAX) {
      throw new StoreError('full', `a record of ${bytes} bytes is over the limit of ${RECORD_BYTES_MAX}`);
    }
    // Lanes 1 and 2 give way to what comes; lane 0 does not, so only its rows can keep a record out.
    if (critical.bytes + bytes > limits.outboxBytesMax || rowsOf(critical) >= limits.outboxRowsMax) {
      const held = `${rowsOf(critical)} critical records, ${critical.bytes} bytes`;
      throw new StoreError('full', `the outbox is at its bound with ${held}: connect the gateway to its cloud`);
    }
    return insert(counter, record, jpeg) - counter.base;
  }

  function deleteUpTo(counter: LaneCounter, number: number): void {
    const range = [positionOf(counter.lane, counter.first), positionOf(counter.lane, number)] as const;
    counter.bytes -= Number(sumRows.get(...range));
    deleteRows.run(...range);
    counter.first = number + 1;
  }

  function acknowledge(ack: { epoch: Epoch; lane: Lane; seq: number }): void {
    const counter = counterOf(ack.lane);
    if (ack.epoch !== epoch) return;
    const number = Math.min(ack.seq + counter.base, counter.last);
    if (number >= counter.first) deleteUpTo(counter, number);
  }

  /** Evicts while the outbox is over its bounds. To be called before each commit. */
  function enforceBounds(stamp: RecordStamp): void {
    for (const lane of [2, 1] as const) {
      const counter = counterOf(lane);
      while (rowsOf(counter) > 0) {
        const bytesOver = total((each) => each.bytes) - limits.outboxBytesMax;
        const rowsOver = total(rowsOf) - limits.outboxRowsMax;
        if (bytesOver <= 0 && rowsOver <= 0) return;
        evict(counter, { bytesOver, rowsOver, stamp });
      }
    }
  }

  function evict(counter: LaneCounter, over: { bytesOver: number; rowsOver: number; stamp: RecordStamp }): void {
    const range = [positionOf(counter.lane, counter.first), positionOf(counter.lane, counter.last)] as const;
    const from = counter.first - counter.base;
    let rows = 0;
    let bytes = 0;
    for (const size of selectSizes.all(...range, EVICTION_ROWS)) {
      if (bytes >= over.bytesOver && rows >= over.rowsOver) break;
      bytes += size;
      rows += 1;
    }
    // The counters say there are rows: when the file does not, nothing could be counted down.
    if (rows === 0) throw new StoreError('io', `lane ${counter.lane} of the outbox does not hold the rows it counts`);
    deleteUpTo(counter, counter.first + rows - 1);
    tellLoss(counter.lane, { from, to: from + rows - 1, stamp: over.stamp });
  }

  /** One `lost` record grows until it is read; the one that was read may be on its way and stays as it is. */
  function tellLoss(lane: Lane, loss: { from: number; to: number; stamp: RecordStamp }): void {
    const critical = counterOf(0);
    const open = losses.get(lane);
    if (open !== undefined && open.to + 1 === loss.from) {
      open.to = loss.to;
      const record = encodeRecord(open.stamp, boot_id, { kind: 'lost', lane, from: open.from, to: open.to });
      const bytes = rowBytes(record, null);
      const position = positionOf(0, open.number);
      critical.bytes += bytes - Number(sumRows.get(position, position));
      replaceRecord.run(bytes, checksum(record, null), record, position);
      return;
    }
    const stamp = { ...loss.stamp, uid: uuidv7() as Uid };
    const record = encodeRecord(stamp, boot_id, { kind: 'lost', lane, from: loss.from, to: loss.to });
    const number = insert(critical, record, null);
    losses.set(lane, { number, stamp, from: loss.from, to: loss.to });
    warn({ lane, from: loss.from, to: loss.to }, 'the outbox is over its bound: the oldest records are given up');
  }

  function sendable(counter: LaneCounter, row: OutboxColumns): string {
    const seq = row.position - positionOf(counter.lane, counter.base);
    if (checksum(row.record, row.jpeg) === row.crc) {
      return withSeq(seq, row.record, row.jpeg === null ? null : row.jpeg.toString('base64'));
    }
    warn({ lane: counter.lane, seq }, 'a waiting record is damaged on the disk: told as lost');
    const stamp = { uid: uuidv7() as Uid, mono_ms: 0, wall_ms: 0, clock_ok: false };
    const lost = encodeRecord(stamp, boot_id, { kind: 'lost', lane: counter.lane, from: seq, to: seq });
    return withSeq(seq, lost, null);
  }

  function batch(lane: Lane, after_seq: number): OutboxBatch | null {
    const counter = counterOf(lane);
    const from = Math.max(counter.first, after_seq + counter.base + 1);
    if (from > counter.last) return null;
    const range = [positionOf(lane, from), positionOf(lane, counter.last)] as const;
    const records: string[] = [];
    let bytes = 0;
    for (const row of selectRows.iterate(...range, batchMax.recordsMax)) {
      const size = row.bytes + (row.jpeg === null ? 0 : row.jpeg.byteLength / 3);
      if (records.length > 0 && bytes + size > batchMax.bytesMax) break;
      bytes += size;
      records.push(sendable(counter, row));
    }
    const to = from + records.length - 1;
    if (lane === 0) forgetLosses((loss) => loss.number <= to);
    return {
      epoch,
      lane,
      first_seq: from - counter.base,
      last_seq: to - counter.base,
      json: encodeBatch(epoch, lane, records),
    };
  }

  function forgetLosses(isKnown: (loss: OpenLoss) => boolean): void {
    for (const [lane, loss] of losses) if (isKnown(loss)) losses.delete(lane);
  }

  /** All that waits is numbered from 1 again: the bases move, the rows stay. */
  function startEpoch(): OutboxState {
    epoch = newEpoch() as Epoch;
    for (const counter of lanes) counter.base = counter.first - 1;
    saveEpoch.run(epoch);
    losses.clear();
    return state();
  }

  function state(): OutboxState {
    return {
      epoch,
      lanes: lanes.map((counter) => ({
        lane: counter.lane,
        first_seq: counter.first - counter.base,
        last_seq: counter.last - counter.base,
        rows: rowsOf(counter),
        bytes: counter.bytes,
      })),
    };
  }

  /** What a savepoint or a transaction that fails has to restore. */
  function mark() {
    return { lanes: structuredClone(lanes), epoch };
  }

  function restore(marked: ReturnType<typeof mark>): void {
    lanes = marked.lanes;
    epoch = marked.epoch;
    // An open loss may have been written by what is undone.
    losses.clear();
  }

  /** Writes the counters that changed. To be called before each commit. */
  function saveCounters(): void {
    for (const counter of lanes) {
      const before = saved[counter.lane];
      if (before !== undefined && LANE_FIELDS.every((field) => before[field] === counter[field])) continue;
      saveLane.run(counter.base, counter.first, counter.last, counter.bytes, counter.lane);
    }
  }

  /** The counters are on the disk. To be called after each commit. */
  function committed(): void {
    saved = structuredClone(lanes);
  }

  return {
    append,
    acknowledge,
    batch,
    state,
    startEpoch,
    enforceBounds,
    mark,
    restore,
    saveCounters,
    committed,
    /** The lane 0 base: a session's number up to it was acknowledged in an older epoch. */
    base: () => counterOf(0).base,
    lastNumber: () => counterOf(0).last,
    epoch: () => epoch,
  };
}

const LANE_FIELDS = ['base', 'first', 'last', 'bytes'] as const;
