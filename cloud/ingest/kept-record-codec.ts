/** How records are kept that could not be applied, or not yet: as JSON, without the bytes of pictures. */
import { z } from 'zod';
import { imageRecordSchema, recordBatchSchema, uplinkRecordSchema, type UplinkRecord } from '../../shared/uplink.js';

const PAYLOAD_CHARACTERS_MAX = 64 * 1024;

const parkedSchema = recordBatchSchema
  .pick({ epoch: true, lane: true })
  .extend({ record: uplinkRecordSchema.extend({ payload: z.unknown() }) });
type Parked = z.infer<typeof parkedSchema>;

export function parkedText(parked: Parked): string {
  return JSON.stringify({ ...parked, record: withoutPicture(parked.record) });
}

export function readParked(text: string): Parked {
  return parkedSchema.parse(JSON.parse(text));
}

/** What was sent, for the person who looks why; cut to a bound. */
export function deadLetterText(raw: unknown): string {
  const record = uplinkRecordSchema.safeParse(raw);
  const text = JSON.stringify(record.success ? withoutPicture(record.data) : raw) ?? 'null';
  return text.length <= PAYLOAD_CHARACTERS_MAX ? text : text.slice(0, PAYLOAD_CHARACTERS_MAX);
}

function withoutPicture(record: UplinkRecord): UplinkRecord {
  const image = imageRecordSchema.safeParse(record.payload);
  return image.success ? { ...record, payload: { ...image.data, data: '' } } : record;
}
