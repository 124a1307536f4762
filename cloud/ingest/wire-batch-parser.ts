/** Parses a batch as it arrives. The frame must be right; a wrong record does not affect the others. */
import { z } from 'zod';
import { uidSchema } from '../../shared/ids.js';
import { recordBatchSchema, uplinkRecordSchema, BATCH_RECORDS_MAX, type UplinkRecord } from '../../shared/uplink.js';

const frameSchema = recordBatchSchema.extend({ records: z.array(z.unknown()).min(1).max(BATCH_RECORDS_MAX) });
const numberedSchema = z.object({ seq: z.number().int().positive() });

export interface WireRecord {
  seq: number;
  /** The record as sent, for a dead letter. */
  raw: unknown;
  /** Empty when the record has none. */
  uid: string;
  parsed: { record: UplinkRecord } | { problem: string };
}

export interface WireBatch extends Omit<z.infer<typeof frameSchema>, 'records'> {
  records: WireRecord[];
}

/** A record with an unreadable seq counts as the one after the record before it. @returns a problem as text when the frame is wrong */
export function parseWireBatch(payload: unknown): WireBatch | { problem: string } {
  const frame = frameSchema.safeParse(payload);
  if (!frame.success) return { problem: frame.error.issues[0]?.message ?? 'not a batch' };
  const records: WireRecord[] = [];
  for (const raw of frame.data.records) {
    const previous = records.at(-1)?.seq;
    const numbered = numberedSchema.safeParse(raw);
    const seq = numbered.success ? numbered.data.seq : previous === undefined ? undefined : previous + 1;
    if (seq === undefined) return { problem: 'the first record has no number' };
    records.push({ seq, raw, ...parseRecord(raw) });
  }
  return { ...frame.data, records };
}

function parseRecord(raw: unknown): Pick<WireRecord, 'uid' | 'parsed'> {
  const record = uplinkRecordSchema.safeParse(raw);
  if (record.success) return { uid: record.data.uid, parsed: { record: record.data } };
  const named = z.object({ uid: uidSchema }).safeParse(raw);
  const issue = record.error.issues[0];
  return {
    uid: named.success ? named.data.uid : '',
    parsed: { problem: `record not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim() },
  };
}
