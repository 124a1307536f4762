/** One row of the outbox table: its key, its size and its checksum. */
import { crc32 } from 'node:zlib';
import type { Lane } from '../../shared/uplink.js';

export interface OutboxColumns {
  position: number;
  bytes: number;
  crc: number;
  /** Made by `outbox-codec.ts`. */
  record: string;
  jpeg: Buffer | null;
}

/** The lanes of `shared/uplink.ts`, without the schemas of that file: they would double the memory of the worker thread. */
export const LANES = [0, 1, 2] as const satisfies readonly Lane[];

/** What SQLite adds to a row, about. */
const ROW_OVERHEAD_BYTES = 24;
const LANE_SPAN = 2 ** 50;
/** Three lanes of so many rows stay within the integers of a double. */
export const LANE_ROWS_MAX = LANE_SPAN - 1;

/** Lane and number in one key, so that a lane is a range of it. */
export const positionOf = (lane: Lane, number: number): number => lane * LANE_SPAN + number;

export const rowBytes = (record: string, jpeg: Uint8Array | null): number =>
  Buffer.byteLength(record) + (jpeg?.byteLength ?? 0) + ROW_OVERHEAD_BYTES;

/** A flipped bit on a card is no error to SQLite; it would be one to the cloud, for the whole batch. */
export const checksum = (record: string, jpeg: Uint8Array | null): number =>
  jpeg === null ? crc32(record) : crc32(jpeg, crc32(record));
