/** One row of the outbox table: its key, its size and its checksum. */
import { crc32 } from 'node:zlib';
import type { Lane } from '../../shared/uplink.js';

export interface OutboxColumns {
  position: number;
  bytes: number;
  crc: number;
  /** The text of the record, as `outbox-codec.ts` encodes it. */
  record: string;
  jpeg: Buffer | null;
}

/** The lanes of `shared/uplink.ts`. The schemas of that file would double the memory of the worker thread, so it is not imported. */
export const LANES = [0, 1, 2] as const satisfies readonly Lane[];

/** About what SQLite adds to a row. */
const ROW_OVERHEAD_BYTES = 24;
const LANE_SPAN = 2 ** 50;
/** With this many rows in each of three lanes, all positions are exact integers of a double. */
export const LANE_ROWS_MAX = LANE_SPAN - 1;

/** Joins lane and number into one key, so that a lane is a range of keys. */
export const positionOf = (lane: Lane, number: number): number => lane * LANE_SPAN + number;

export const rowBytes = (record: string, jpeg: Uint8Array | null): number =>
  Buffer.byteLength(record) + (jpeg?.byteLength ?? 0) + ROW_OVERHEAD_BYTES;

/** SQLite does not notice a flipped bit on a card. The cloud would notice it, and refuse the whole batch. */
export const checksum = (record: string, jpeg: Uint8Array | null): number =>
  jpeg === null ? crc32(record) : crc32(jpeg, crc32(record));
