/**
 * The bounds of what a gateway sends: what one gateway says must not cost the others anything. The cloud holds every message to them before
 * it looks at what it says.
 */
import { z } from 'zod';
import type { UpChannel } from './topics.js';

/** How many records one batch has. */
export const BATCH_RECORDS_MAX = 100;
/** How large a batch of several records is, in bytes of its records as sent. A single record may be larger. */
export const BATCH_BYTES_MAX = 64 * 1024;
/** How large one record of lanes 0 and 1 is, in bytes as sent. */
export const RECORD_BYTES_MAX = 64 * 1024;
/** How large a picture is, in bytes: as large as the largest body that a camera may send. */
export const IMAGE_BYTES_MAX = 8 * 1024 * 1024;
/** The same as base64. */
export const IMAGE_BASE64_MAX = Math.ceil(IMAGE_BYTES_MAX / 3) * 4;
/** How large a picture for lists is, in bytes: one that is larger as a whole has one beside it. */
export const THUMBNAIL_BYTES_MAX = 24 * 1024;
/** The same as base64. */
export const THUMBNAIL_BASE64_MAX = Math.ceil(THUMBNAIL_BYTES_MAX / 3) * 4;
/** How large a record of lane 2 is, in bytes as sent: a picture, and what says whose it is. */
export const IMAGE_RECORD_BYTES_MAX = IMAGE_BASE64_MAX + THUMBNAIL_BASE64_MAX + 4 * 1024;

/** How large a message is, in bytes. That of records holds one picture. */
export const MESSAGE_BYTES_MAX: Readonly<Record<UpChannel, number>> = {
  presence: 4 * 1024,
  hello: 16 * 1024,
  records: 12 * 1024 * 1024,
  report: 2 * 1024 * 1024,
};
/** How deep the objects and lists of a message, or of one record, are nested. */
export const NESTING_MAX = 16;
/** How many members the objects and lists of one record have in all. */
export const RECORD_MEMBERS_MAX = 1_000;

/** How many things of one kind a report tells of. */
export const REPORTED_MAX = 1_000;

/** 9999-12-31, the last day that ISO 8601 writes with four digits. */
export const EPOCH_MS_MAX = Date.UTC(10_000, 0) - 1;

/** Older gateways send parts of milliseconds, for which no database has a column of times: whole ones are read. */
const wholeMs = (leastMs: number) => z.number().min(leastMs).max(EPOCH_MS_MAX).overwrite(Math.round);
/** Wall milliseconds. */
export const epochMs = wholeMs(0);
/** Milliseconds of a monotonic clock, or between two moments. */
export const durationMs = wholeMs(0);
/** How far one clock is from another; below 0: ahead of it. */
export const offsetMs = wholeMs(-EPOCH_MS_MAX);
export const countSchema = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** What an integer column of every database holds. A number beyond it would fail the statement, and with it what others wrote beside it. */
const INTEGER_MAX = 2 ** 31 - 1;
/** The id of something that the cloud numbers. */
export const idSchema = z.number().int().nonnegative().max(INTEGER_MAX);
/** The number of a try or a repetition, from 1. */
export const ordinalSchema = z.number().int().positive().max(INTEGER_MAX);
/**
 * Text without control characters and half surrogate pairs, which are left out: a database may refuse the character 0, with which some
 * cameras fill up their fields, and JSON writes each of them as six bytes.
 */
export const textSchema = (lengthMax: number) =>
  z
    .string()
    .overwrite((text) => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''))
    .max(lengthMax);
/** Signal strength in dBm, which Bluetooth tells in one byte. */
export const rssiSchema = z.number().int().min(-128).max(127);
