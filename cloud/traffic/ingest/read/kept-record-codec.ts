/** Encodes records that could not be applied, or not yet, as JSON without the bytes of pictures. */
import { z } from 'zod';
import {
  imageRecordSchema,
  recordBatchSchema,
  uplinkRecordSchema,
  type UplinkRecord,
} from '../../../../shared/uplink.js';

/** How much a dead letter keeps of what was sent, in characters. */
export const KEPT_LENGTH_MAX = 4 * 1024;

const earlyRecordSchema = recordBatchSchema
  .pick({ epoch: true, lane: true })
  .extend({ record: uplinkRecordSchema.extend({ payload: z.unknown() }) });
export type EarlyRecord = z.infer<typeof earlyRecordSchema>;

export function earlyRecordText(early: EarlyRecord): string {
  return JSON.stringify({ ...early, record: withoutPicture(early.record) });
}

export function parseEarlyRecord(text: string): EarlyRecord {
  return earlyRecordSchema.parse(JSON.parse(text));
}

/** Encodes what was sent, cut to a bound, for a person who looks for the reason. */
export function deadLetterText(raw: unknown): string {
  const record = uplinkRecordSchema.safeParse(raw);
  const text = JSON.stringify(record.success ? withoutPicture(record.data) : raw) ?? 'null';
  return text.slice(0, KEPT_LENGTH_MAX);
}

function withoutPicture(record: UplinkRecord): UplinkRecord {
  const image = imageRecordSchema.omit({ thumbnail: true }).safeParse(record.payload);
  return image.success ? { ...record, payload: { ...image.data, data: '' } } : record;
}
