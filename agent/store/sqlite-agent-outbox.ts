/** Implements the outbox of the port: records by seq and outbox epoch. Runs in the store's worker thread. */
import type Database from 'better-sqlite3';
import { uuidv7 } from 'uuidv7';
import type { Uid } from '../../shared/ids.js';
import type { Lane, OutboxEpoch } from '../../shared/uplink.js';
import {
  type LaneCursor,
  type LaneState,
  type OutboxBatch,
  type OutboxState,
  type StartedOutboxEpoch,
  StoreError,
  type StoreLimits,
  type WaitingLane,
} from './agent-store.js';
import { encodeBatch, encodeRecord, withSeq } from './outbox-codec.js';
import { createEviction, type EvictionOptions } from './sqlite-agent-eviction.js';
import { createKept, type Kept } from './sqlite-agent-kept.js';
import { createLanes, type LaneCounter, type Lanes, rowCount } from './sqlite-agent-lanes.js';
import type { WorkerOptions } from './sqlite-agent-protocol.js';
import { checksum, type OutboxColumns, positionOf, rowBytes } from './sqlite-agent-rows.js';
import { generateOutboxEpoch } from './sqlite-agent-schema.js';

const RECORD_BYTES_MAX = 8 * 1024 * 1024;

export interface OutboxOptions extends Pick<WorkerOptions, 'limits' | 'batch' | 'boot_id'> {
  db: Database.Database;
  warn: EvictionOptions['warn'];
  /** Lanes whose rows are not in this database: nothing of them is read. */
  held: ReadonlySet<Lane>;
}

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox({ db, limits, batch: batchMax, boot_id, warn, held }: OutboxOptions) {
  const lanes = createLanes(db);
  const kept = createKept({ db, lanes, limits });
  const eviction = createEviction({ lanes, kept, limits, boot_id, warn, held });
  const saveOutboxEpoch = db.prepare('UPDATE meta SET epoch = ?');
  let epoch = db.prepare('SELECT epoch FROM meta').pluck().get() as OutboxEpoch;

  const state = (): OutboxState => ({ epoch, lanes: lanes.all().map(laneStateOf) });

  return {
    /** Adds a record at the end of its lane. Returns its seq. */
    append(lane: Lane, record: string, jpeg: Uint8Array | null): number {
      if (held.has(lane) && jpeg !== null)
        throw new StoreError('full', 'the disk refuses to write, and pictures are not kept in memory');
      expectRoom(lanes.of(0), rowBytes(record, jpeg), limits);
      const counter = lanes.of(lane);
      return lanes.push(counter, record, jpeg) - counter.base;
    },
    acknowledge(ack: { epoch: OutboxEpoch; lane: Lane; seq: number; now_ms: number }): void {
      const counter = lanes.of(ack.lane);
      const number = Math.min(ack.seq + counter.base, counter.last);
      if (ack.epoch === epoch && number >= counter.first) kept.keep(counter, number, ack.now_ms);
    },
    batch(lane: Lane, after_seq: number): OutboxBatch | null {
      const counter = lanes.of(lane);
      const from = Math.max(counter.first, after_seq + counter.base + 1);
      if (from > counter.last || held.has(lane)) return null;
      const records: string[] = [];
      let bytes = 0;
      for (const row of lanes.rowsFrom(counter, from, batchMax.recordsMax)) {
        // Base64 is longer by a third than the stored bytes.
        bytes += row.bytes + (row.jpeg === null ? 0 : row.jpeg.byteLength / 3);
        if (records.length > 0 && bytes > batchMax.bytesMax) break;
        records.push(sendable(counter, row, { boot_id, warn }));
      }
      const to = from + records.length - 1;
      if (lane === 0) eviction.read(to);
      const json = encodeBatch(epoch, lane, records);
      return { epoch, lane, first_seq: from - counter.base, last_seq: to - counter.base, json };
    },
    state,
    waiting: (rowsMax: number): WaitingLane[] =>
      lanes.waiting(rowsMax).map((each) => ({ ...each, lost_rows: eviction.lostRows(each.lane) })),
    /** Numbers all that waits from 1 again: the bases change, and the rows remain. */
    startOutboxEpoch(goBackTo: readonly LaneCursor[]): StartedOutboxEpoch {
      const acknowledged_seq = numberAnew({ lanes, kept }, goBackTo);
      epoch = generateOutboxEpoch() as OutboxEpoch;
      saveOutboxEpoch.run(epoch);
      eviction.reset();
      return { ...state(), acknowledged_seq };
    },
    enforceBounds: eviction.enforce,
    /** Makes room by some rows that are kept. @returns false when none is */
    giveWay: kept.giveWay,
    /** The state that a failed savepoint or transaction has to restore. */
    mark: () => ({ counters: lanes.mark(), epoch }),
    restore(marked: { counters: LaneCounter[]; epoch: OutboxEpoch }): void {
      lanes.restore(marked.counters);
      epoch = marked.epoch;
      eviction.reset();
      kept.reset();
    },
    saveCounters: lanes.save,
    committed: lanes.committed,
    epoch: () => epoch,
    /** The base of lane 0: numbers up to it were acknowledged in an older outbox epoch. */
    base: () => lanes.of(0).base,
    /** The number of the newest record of lane 0. */
    lastNumber: () => lanes.of(0).last,
  };
}

/** Puts kept rows back to those that wait, and numbers all of these from 1. @returns the last seq of before that does not wait */
function numberAnew({ lanes, kept }: { lanes: Lanes; kept: Kept }, goBackTo: readonly LaneCursor[]): number {
  for (const { lane, seq } of goBackTo) {
    const counter = lanes.of(lane);
    // A cloud that has nothing of this outbox epoch may lack what was acknowledged in an earlier one too.
    const wanted = seq === 0 ? counter.kept : Math.max(counter.kept, seq + counter.base + 1);
    if (wanted < counter.first) kept.putBack(counter, wanted);
  }
  const critical = lanes.of(0);
  const acknowledged_seq = critical.first - 1 - critical.base;
  for (const counter of lanes.all()) counter.base = counter.first - 1;
  return acknowledged_seq;
}

const laneStateOf = (counter: LaneCounter): LaneState => ({
  lane: counter.lane,
  first_seq: counter.first - counter.base,
  last_seq: counter.last - counter.base,
  rows: rowCount(counter),
  bytes: counter.bytes,
});

/** Throws when lane 0 leaves no room. Rows of lanes 1 and 2 are evicted for a new record, rows of lane 0 never are. */
function expectRoom(critical: LaneCounter, bytes: number, limits: StoreLimits): void {
  if (bytes > RECORD_BYTES_MAX) {
    throw new StoreError('full', `a record of ${bytes} bytes is over the limit of ${RECORD_BYTES_MAX}`);
  }
  const rows = rowCount(critical);
  if (critical.bytes + bytes <= limits.outboxBytesMax && rows < limits.outboxRowsMax) return;
  const held = `${rows} critical records of ${critical.bytes} bytes`;
  throw new StoreError('full', `the outbox is at its bounds with ${held}: connect the gateway to its cloud`);
}

/** Prepares a row for sending. A row that is damaged on the disk is replaced by a `lost` record with its seq. */
function sendable(
  counter: LaneCounter,
  row: OutboxColumns,
  { boot_id, warn }: Pick<OutboxOptions, 'boot_id' | 'warn'>,
): string {
  const { lane, base } = counter;
  const seq = row.position - positionOf(lane, base);
  if (checksum(row.record, row.jpeg) === row.crc) {
    return withSeq(seq, row.record, row.jpeg === null ? null : row.jpeg.toString('base64'));
  }
  warn({ lane, seq }, 'a waiting record is damaged on the disk: reported as lost');
  const stamp = { uid: uuidv7() as Uid, mono_ms: 0, wall_ms: 0, clock_ok: false };
  return withSeq(seq, encodeRecord(stamp, boot_id, { kind: 'lost', lane, from: seq, to: seq }), null);
}
