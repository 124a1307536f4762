/** What gives way when the outbox is over its bounds, and how that is told. */
import { uuidv7 } from 'uuidv7';
import type { Uid } from '../../shared/ids.js';
import type { Lane } from '../../shared/uplink.js';
import { type RecordStamp, StoreError, type StoreLimits } from './agent-store.js';
import { encodeRecord } from './outbox-codec.js';
import { type LaneCounter, type Lanes, rowCount } from './sqlite-agent-lanes.js';

/** Rows that are looked at in one step. */
const STEP_ROWS = 256;

/** A `lost` record that nobody has read yet: what is given up next is added to it. */
interface OpenLoss {
  /** Of its row in lane 0. */
  number: number;
  stamp: RecordStamp;
  from: number;
  to: number;
}

export interface EvictionOptions {
  lanes: Lanes;
  limits: StoreLimits;
  boot_id: Uid;
  warn(fields: Record<string, unknown>, message: string): void;
}

export function createEviction({ lanes, limits, boot_id, warn }: EvictionOptions) {
  const losses = new Map<Lane, OpenLoss>();
  const total = (of: (counter: LaneCounter) => number): number => lanes.all().reduce((sum, each) => sum + of(each), 0);

  function evict(counter: LaneCounter, over: { bytes: number; rows: number }, stamp: RecordStamp): void {
    const from = counter.first - counter.base;
    let rows = 0;
    let bytes = 0;
    for (const size of lanes.oldestSizes(counter, STEP_ROWS)) {
      if (bytes >= over.bytes && rows >= over.rows) break;
      bytes += size;
      rows += 1;
    }
    // The counters say there are rows: when the file does not, nothing could be counted down.
    if (rows === 0) throw new StoreError('io', `lane ${counter.lane} of the outbox does not hold the rows it counts`);
    lanes.dropUpTo(counter, counter.first + rows - 1);
    tell(counter.lane, { from, to: from + rows - 1 }, stamp);
  }

  /** One record grows until it is read; the one that was read may be on its way and stays as it is. */
  function tell(lane: Lane, { from, to }: { from: number; to: number }, stamp: RecordStamp): void {
    const open = losses.get(lane);
    if (open !== undefined && open.to + 1 === from) {
      open.to = to;
      const record = encodeRecord(open.stamp, boot_id, { kind: 'lost', lane, from: open.from, to });
      lanes.replace(lanes.of(0), open.number, record);
      return;
    }
    const own = { ...stamp, uid: uuidv7() as Uid };
    const number = lanes.push(lanes.of(0), encodeRecord(own, boot_id, { kind: 'lost', lane, from, to }), null);
    losses.set(lane, { number, stamp: own, from, to });
    warn({ lane, from, to }, 'the outbox is over its bounds: the oldest records are given up');
  }

  return {
    /** Lane 2 gives way, then lane 1; only while the outbox is over its bounds. To be called before each commit. */
    enforce(stamp: RecordStamp): void {
      for (const lane of [2, 1] as const) {
        const counter = lanes.of(lane);
        while (rowCount(counter) > 0) {
          const bytes = total((each) => each.bytes) - limits.outboxBytesMax;
          const rows = total(rowCount) - limits.outboxRowsMax;
          if (bytes <= 0 && rows <= 0) return;
          evict(counter, { bytes, rows }, stamp);
        }
      }
    },
    /** Rows of lane 0 were read, up to a number. */
    read(number: number): void {
      for (const [lane, loss] of losses) if (loss.number <= number) losses.delete(lane);
    },
    /** What was told may be undone, or counts anew: the next loss is told by a record of its own. */
    reset(): void {
      losses.clear();
    },
  };
}
