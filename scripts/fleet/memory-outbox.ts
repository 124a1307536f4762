/** The outbox of the agent's store in memory: rows in lanes, bounded as on a disk. */
import { uuidv7 } from 'uuidv7';
import {
  type LaneCursor,
  type OutboxBatch,
  type OutboxState,
  type RecordStamp,
  type StartedOutboxEpoch,
  StoreError,
  type StoreLimits,
  type WaitingLane,
} from '../../agent/store/agent-store.js';
import type { Uid } from '../../shared/ids.js';
import { BATCH_BYTES_MAX, BATCH_RECORDS_MAX } from '../../shared/uplink-bounds.js';
import type { Lane, OutboxEpoch, RecordPayload, UplinkRecord } from '../../shared/uplink.js';
import { type MemoryDisk, newOutboxEpoch, type StoredLane, type StoredRow } from './memory-disk.js';

const bytesOf = ({ rows }: StoredLane) => rows.reduce((sum, row) => sum + row.bytes, 0);
const firstSeq = (stored: StoredLane) => stored.last_seq - stored.rows.length + 1;

function push(stored: StoredLane, row: StoredRow): number {
  stored.rows.push(row);
  stored.last_seq += 1;
  return stored.last_seq;
}

interface Outbox {
  disk: MemoryDisk;
  limits: StoreLimits;
  boot_id: Uid;
  lostRows: Map<Lane, number>;
  /** The lane 0 seq up to which rows were read: a `lost` record among them may already be sent. */
  readUpTo: number;
}

export type MemoryOutbox = ReturnType<typeof memoryOutbox>;

export function memoryOutbox(of: { disk: MemoryDisk; limits: StoreLimits; boot_id: Uid }) {
  const { disk } = of;
  const outbox: Outbox = { ...of, lostRows: new Map(), readUpTo: laneOf(disk, 0).last_seq };
  return {
    append: (lane: Lane, stamp: RecordStamp, payload: RecordPayload): number => append(outbox, lane, stamp, payload),
    batch: (lane: Lane, after_seq: number): OutboxBatch | null => batch(outbox, lane, after_seq),
    state: (): OutboxState => stateOf(disk),
    waiting: (rowsMax: number): WaitingLane[] =>
      disk.lanes.map((stored) => ({
        lane: stored.lane,
        oldest: stored.rows.slice(0, rowsMax).map((row, at) => waitingRowOf(row, firstSeq(stored) + at)),
        lost_rows: outbox.lostRows.get(stored.lane) ?? 0,
      })),
    acknowledge(ack: { epoch: OutboxEpoch; lane: Lane; seq: number }): void {
      if (ack.epoch !== disk.epoch) return;
      const stored = laneOf(disk, ack.lane);
      const acknowledged = Math.max(0, Math.min(ack.seq, stored.last_seq) - firstSeq(stored) + 1);
      stored.kept.push(...stored.rows.splice(0, acknowledged));
      boundKept(outbox);
    },
    startOutboxEpoch(goBackTo: readonly LaneCursor[]): StartedOutboxEpoch {
      for (const { lane, seq } of goBackTo) {
        const stored = laneOf(disk, lane);
        const missing = seq === 0 ? stored.kept.length : Math.max(0, firstSeq(stored) - 1 - seq);
        if (missing > 0) stored.rows.unshift(...stored.kept.splice(-missing));
      }
      const acknowledged_seq = firstSeq(laneOf(disk, 0)) - 1;
      for (const session of disk.sessions.values()) session.seq = Math.max(0, session.seq - acknowledged_seq);
      for (const stored of disk.lanes) stored.last_seq = stored.rows.length;
      disk.epoch = newOutboxEpoch();
      outbox.readUpTo = laneOf(disk, 0).last_seq;
      return { ...stateOf(disk), acknowledged_seq };
    },
  };
}

function waitingRowOf({ record, bytes }: StoredRow, seq: number): WaitingLane['oldest'][number] {
  const { boot_id, mono_ms, wall_ms, clock_ok } = record;
  const payload = record.payload as RecordPayload;
  const plate = 'reading' in payload ? payload.reading.plate : null;
  return { seq, boot_id, mono_ms, wall_ms, clock_ok, kind: payload.kind, bytes, plate };
}

function laneOf(disk: MemoryDisk, lane: Lane): StoredLane {
  const stored = disk.lanes[lane];
  if (stored === undefined) throw new Error(`lane ${lane} is unknown`);
  return stored;
}

function rowOf(boot_id: Uid, { uid, mono_ms, wall_ms, clock_ok }: RecordStamp, payload: RecordPayload): StoredRow {
  const record = { uid, boot_id, mono_ms, wall_ms, clock_ok, payload: structuredClone(payload) };
  const sentBytes = Buffer.byteLength(JSON.stringify(record));
  const spared = payload.kind === 'image' ? Math.floor(payload.data.length / 4) : 0;
  return { record, bytes: sentBytes - spared, sentBytes };
}

function append(outbox: Outbox, lane: Lane, stamp: RecordStamp, payload: RecordPayload): number {
  const { disk, limits, boot_id } = outbox;
  const row = rowOf(boot_id, stamp, payload);
  const critical = laneOf(disk, 0);
  if (bytesOf(critical) + row.bytes > limits.outboxBytesMax || critical.rows.length >= limits.outboxRowsMax) {
    throw new StoreError('full', 'the outbox is at its bound with critical records');
  }
  const seq = push(laneOf(disk, lane), row);
  if (isOver(outbox)) boundKept(outbox);
  for (const evicted of [2, 1] as const) {
    while (isOver(outbox) && laneOf(disk, evicted).rows.length > 0) evictOldest(outbox, evicted, stamp);
  }
  return seq;
}

/** Bounds the kept rows, which give way before anything that waits. */
function boundKept(outbox: Outbox): void {
  const { disk, limits } = outbox;
  for (const lane of [2, 1, 0] as const) {
    const { kept } = laneOf(disk, lane);
    while (kept.length > 0 && (keptBytes(disk) > limits.keptBytesMax || isOver(outbox))) kept.shift();
  }
}

const keptBytes = (disk: MemoryDisk): number =>
  disk.lanes.flatMap(({ kept }) => kept).reduce((sum, row) => sum + row.bytes, 0);

function isOver({ disk, limits }: Outbox): boolean {
  const rows = disk.lanes.reduce((sum, stored) => sum + stored.rows.length + stored.kept.length, 0);
  const bytes = disk.lanes.reduce((sum, stored) => sum + bytesOf(stored), keptBytes(disk));
  return rows > limits.outboxRowsMax || bytes > limits.outboxBytesMax;
}

function evictOldest({ disk, boot_id, readUpTo, lostRows }: Outbox, lane: Lane, stamp: RecordStamp): void {
  lostRows.set(lane, (lostRows.get(lane) ?? 0) + 1);
  const seq = firstSeq(laneOf(disk, lane));
  laneOf(disk, lane).rows.shift();
  const critical = laneOf(disk, 0);
  const last = critical.rows.findLast((row) => {
    const payload = row.record.payload as RecordPayload;
    return payload.kind === 'lost' && payload.lane === lane && payload.to === seq - 1;
  });
  const isUnread = last !== undefined && firstSeq(critical) + critical.rows.indexOf(last) > readUpTo;
  if (last !== undefined && isUnread) Object.assign(last.record.payload as object, { to: seq });
  else push(critical, rowOf(boot_id, { ...stamp, uid: uuidv7() as Uid }, { kind: 'lost', lane, from: seq, to: seq }));
}

function batch(outbox: Outbox, lane: Lane, after_seq: number): OutboxBatch | null {
  const { disk } = outbox;
  const stored = laneOf(disk, lane);
  const first_seq = Math.max(firstSeq(stored), after_seq + 1);
  const records: UplinkRecord[] = [];
  let bytes = 0;
  for (const row of stored.rows.slice(first_seq - firstSeq(stored)).slice(0, BATCH_RECORDS_MAX)) {
    bytes += row.sentBytes;
    if (records.length > 0 && bytes > BATCH_BYTES_MAX) break;
    records.push({ seq: first_seq + records.length, ...row.record });
  }
  if (records.length === 0) return null;
  const last_seq = first_seq + records.length - 1;
  if (lane === 0) outbox.readUpTo = Math.max(outbox.readUpTo, last_seq);
  const json = JSON.stringify({ epoch: disk.epoch, lane, records }) as OutboxBatch['json'];
  return { epoch: disk.epoch, lane, first_seq, last_seq, json };
}

function stateOf(disk: MemoryDisk): OutboxState {
  const lanes = disk.lanes.map((stored) => ({
    lane: stored.lane,
    first_seq: firstSeq(stored),
    last_seq: stored.last_seq,
    rows: stored.rows.length,
    bytes: bytesOf(stored),
  }));
  return { epoch: disk.epoch, lanes };
}
