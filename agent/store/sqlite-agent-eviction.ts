/** Deletes the least important rows when the outbox is over its bounds, and records what was lost. */
import { uuidv7 } from 'uuidv7';
import type { Uid } from '../../shared/ids.js';
import type { Lane } from '../../shared/uplink.js';
import { type RecordStamp, StoreError, type StoreLimits } from './agent-store.js';
import { encodeRecord } from './outbox-codec.js';
import type { Kept } from './sqlite-agent-kept.js';
import { keptCount, type LaneCounter, type Lanes, rowCount } from './sqlite-agent-lanes.js';

/** How many rows are examined in one step. */
const STEP_ROWS = 256;

/** A `lost` record that was not read yet, so that the next loss can be added to it. */
interface OpenLoss {
  /** The number of its row in lane 0. */
  number: number;
  stamp: RecordStamp;
  from: number;
  to: number;
}

export interface EvictionOptions {
  lanes: Lanes;
  kept: Pick<Kept, 'giveWay'>;
  limits: StoreLimits;
  boot_id: Uid;
  /** Nothing of these is given up. */
  held: ReadonlySet<Lane>;
  warn(fields: Record<string, unknown>, message: string): void;
}

export function createEviction({ lanes, kept, limits, boot_id, warn, held }: EvictionOptions) {
  const losses = new Map<Lane, OpenLoss>();
  const lostRows = new Map<Lane, number>();
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
    // The counters say that there are rows. When the file holds none, deleting would never end.
    if (rows === 0) throw new StoreError('io', `lane ${counter.lane} of the outbox does not hold the rows it counts`);
    lanes.dropUpTo(counter, counter.first + rows - 1);
    recordLoss(counter.lane, { from, to: from + rows - 1 }, stamp);
  }

  /** A `lost` record grows until it is read. After that it may be on its way to the cloud, so it does not change any more. */
  function recordLoss(lane: Lane, { from, to }: { from: number; to: number }, stamp: RecordStamp): void {
    lostRows.set(lane, (lostRows.get(lane) ?? 0) + to - from + 1);
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
    /**
     * Deletes rows while the outbox is over its bounds: first those that are kept, then those of lane 2, then of lane 1. Call it before each
     * commit.
     */
    enforce(stamp: RecordStamp): void {
      while (
        total((each) => each.bytes + each.kept_bytes) > limits.outboxBytesMax ||
        total((each) => rowCount(each) + keptCount(each)) > limits.outboxRowsMax
      ) {
        if (!kept.giveWay()) break;
      }
      for (const lane of [2, 1] as const) {
        const counter = lanes.of(lane);
        if (held.has(lane)) continue;
        while (rowCount(counter) > 0) {
          const bytes = total((each) => each.bytes) - limits.outboxBytesMax;
          const rows = total(rowCount) - limits.outboxRowsMax;
          if (bytes <= 0 && rows <= 0) return;
          evict(counter, { bytes, rows }, stamp);
        }
      }
    },
    /** How many rows of a lane were given up since the opening. */
    lostRows: (lane: Lane): number => lostRows.get(lane) ?? 0,
    /** Notes that rows of lane 0 were read, up to a number. */
    read(number: number): void {
      for (const [lane, loss] of losses) if (loss.number <= number) losses.delete(lane);
    },
    /** The next loss gets a record of its own, because earlier `lost` records may have been undone or renumbered. */
    reset(): void {
      losses.clear();
    },
  };
}
