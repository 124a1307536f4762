/**
 * The bounds of what a gateway sends. They keep one gateway from using up resources of the others. The cloud checks every message against
 * them before it evaluates the content.
 */
import { z } from 'zod';
import type { JsonBounds } from './json-measure.js';
import type { UpChannel } from './topics.js';

/** The maximum number of records in a batch. */
export const BATCH_RECORDS_MAX = 100;
/** The maximum size of a batch of several records, in bytes of its records as sent. A single record may be larger. */
export const BATCH_BYTES_MAX = 64 * 1024;
/** The maximum size of one record of lanes 0 and 1, in bytes as sent. */
export const RECORD_BYTES_MAX = 64 * 1024;
/** The maximum size of an image, in bytes. It equals the largest body that a camera may send. */
export const IMAGE_BYTES_MAX = 8 * 1024 * 1024;
/** The same in base64 characters. */
export const IMAGE_BASE64_MAX = Math.ceil(IMAGE_BYTES_MAX / 3) * 4;
/** The maximum size of a thumbnail, in bytes. A larger image is accompanied by a thumbnail. */
export const THUMBNAIL_BYTES_MAX = 24 * 1024;
/** The same in base64 characters. */
export const THUMBNAIL_BASE64_MAX = Math.ceil(THUMBNAIL_BYTES_MAX / 3) * 4;
/** The maximum size of a record of lane 2, in bytes as sent: an image with its thumbnail, and the fields that describe it. */
export const IMAGE_RECORD_BYTES_MAX = IMAGE_BASE64_MAX + THUMBNAIL_BASE64_MAX + 4 * 1024;

/** The maximum size of a message, in bytes. */
const MESSAGE_BYTES_MAX: Readonly<Record<UpChannel, number>> = {
  presence: 4 * 1024,
  hello: 16 * 1024,
  records: 256 * 1024,
  report: 2 * 1024 * 1024,
};
/** The same of a message of lane 2, which has room for one image. No message is larger. */
export const PICTURE_MESSAGE_BYTES_MAX = 12 * 1024 * 1024;
/** How every gateway begins a message of lane 2. */
const PICTURE_MESSAGE_HEAD = /^\{"epoch":"[0-9a-f]{32}","lane":2,"records":\[/;
/** How many of the first bytes of a message tell how large it may be. */
export const MESSAGE_HEAD_BYTES = 80;

/**
 * Returns how large a message may be that begins so: pictures go in messages of their own, so that no other message has to be read whole
 * before it is refused.
 */
export function messageBytesMax(channel: UpChannel, beginning: Uint8Array): number {
  if (channel !== 'records') return MESSAGE_BYTES_MAX[channel];
  const head = String.fromCharCode(...beginning.subarray(0, MESSAGE_HEAD_BYTES));
  return PICTURE_MESSAGE_HEAD.test(head) ? PICTURE_MESSAGE_BYTES_MAX : MESSAGE_BYTES_MAX.records;
}
/** The maximum nesting of objects and lists in a message or a record. */
export const NESTING_MAX = 16;
/** The bound of a message that is no batch of records: more than the largest report. */
export const MESSAGE_BOUNDS: JsonBounds = {
  depth: NESTING_MAX,
  keysInObject: 256,
  keys: 100_000,
  values: 200_000,
};
/** The maximum number of members that all objects and lists of one record have together. */
export const RECORD_MEMBERS_MAX = 1_000;

/** How many items of one kind a report lists at most. */
export const REPORTED_MAX = 1_000;

/** 9999-12-31, the last day that ISO 8601 writes with four digits. */
export const EPOCH_MS_MAX = Date.UTC(10_000, 0) - 1;

/** Rounds to whole milliseconds: older gateways send fractions, which the time columns of the database cannot hold. */
const wholeMs = (leastMs: number) => z.number().min(leastMs).max(EPOCH_MS_MAX).overwrite(Math.round);
/** Wall milliseconds. */
export const epochMs = wholeMs(0);
/** A duration, or a time of a monotonic clock, in milliseconds. */
export const durationMs = wholeMs(0);
/** The offset of one clock from another; negative when it is ahead. */
export const offsetMs = wholeMs(-EPOCH_MS_MAX);
export const countSchema = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/**
 * The largest number that an integer column of every supported database holds. A larger one would fail the whole statement, with everything
 * else that it writes.
 */
const INTEGER_MAX = 2 ** 31 - 1;
/** The id of something that the cloud numbers. */
export const idSchema = z.number().int().nonnegative().max(INTEGER_MAX);
/** The number of an attempt or repetition, from 1. */
export const ordinalSchema = z.number().int().positive().max(INTEGER_MAX);
/**
 * Text from which control characters and lone surrogates are removed. Some cameras pad their fields with the character 0, which a database
 * may refuse, and JSON writes each of these characters as six bytes.
 */
export const textSchema = (lengthMax: number) =>
  z
    .string()
    .overwrite((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''))
    .max(lengthMax);
/** Signal strength in dBm, which Bluetooth tells in one byte. */
export const rssiSchema = z.number().int().min(-128).max(127);
