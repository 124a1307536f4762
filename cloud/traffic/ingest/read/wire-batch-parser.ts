/** Parses a batch as it arrives. The frame must be right; a wrong record, or a wrong payload, does not affect the other records. */
import { z } from 'zod';
import { uidSchema } from '../../../../shared/ids.js';
import {
  BATCH_BYTES_MAX,
  IMAGE_RECORD_BYTES_MAX,
  NESTING_MAX,
  RECORD_BYTES_MAX,
  RECORD_MEMBERS_MAX,
} from '../../../../shared/uplink-bounds.js';
import {
  type Lane,
  type RecordPayload,
  recordBatchSchema,
  recordPayloadSchema,
  type UplinkRecord,
  uplinkRecordSchema,
} from '../../../../shared/uplink.js';
import { parseJson } from '../../../../shared/json-text-codec.js';
import { type RecordText, splitBatch } from './batch-text-parser.js';
import { KEPT_LENGTH_MAX } from './kept-record-codec.js';

const frameSchema = recordBatchSchema.omit({ records: true });
const numberedSchema = uplinkRecordSchema.pick({ seq: true });
/** How every gateway begins a record. A record that is too big to be parsed is identified by this. */
const RECORD_HEAD = /^\{"seq":([1-9]\d{0,14}),"uid":"([0-9a-f-]{36})"/;
const HEAD_BYTES = 256;

/** A record as it was sent, and its payload as this cloud understands it. */
export interface UnderstoodRecord {
  record: UplinkRecord;
  payload: RecordPayload;
}

/** `problem`: why the record can never be applied. */
export type ParsedRecord = UnderstoodRecord | { problem: string };

export interface WireRecord {
  seq: number;
  /** The record as sent, for a dead letter. */
  raw: unknown;
  /** Empty when the record has none. */
  uid: string;
  parsed: ParsedRecord;
}

export interface WireBatch extends z.infer<typeof frameSchema> {
  records: WireRecord[];
}

/** Lists those of the records that were understood. */
export const understood = (records: readonly WireRecord[]): UnderstoodRecord[] =>
  records.flatMap(({ parsed }) => ('problem' in parsed ? [] : parsed));

/**
 * Parses the text of a batch. A record with an unreadable seq counts as the one after the record before it.
 * @returns a problem as text when the frame is wrong
 */
export function parseWireBatch(json: Uint8Array): WireBatch | { problem: string } {
  const texts = splitBatch(json);
  if ('problem' in texts) return texts;
  const frame = frameSchema.safeParse(parseJson(texts.frame));
  if (!frame.success) return { problem: frame.error.issues[0]?.message ?? 'not a batch' };
  const { lane } = frame.data;
  if (texts.records.length === 0) return { problem: 'it has no records' };
  if (lane !== 2 && texts.records.length > 1 && json.byteLength > 2 * BATCH_BYTES_MAX) {
    return { problem: `${json.byteLength} bytes in several records of lane ${lane}` };
  }
  const records: WireRecord[] = [];
  for (const text of texts.records) {
    const { seq: own, ...record } = parseRecord(text, lane);
    const previous = records.at(-1)?.seq;
    const seq = own ?? (previous === undefined ? undefined : previous + 1);
    if (seq === undefined) return { problem: 'the first record has no number' };
    records.push({ seq, ...record });
  }
  return { ...frame.data, records };
}

/** Parses the payload of a record, which an older cloud may not know. */
export function understandRecord(record: UplinkRecord): ParsedRecord {
  const payload = recordPayloadSchema.safeParse(record.payload);
  if (payload.success) return { record, payload: payload.data };
  return { problem: problemOf('payload', payload.error) };
}

function problemOf(what: 'record' | 'payload', { issues: [issue] }: z.ZodError): string {
  return `${what} not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
}

/** `seq` is undefined when the record has no number that can be read. */
type NumberedRecord = Omit<WireRecord, 'seq'> & { seq: number | undefined };

function parseRecord(text: RecordText, lane: Lane): NumberedRecord {
  const problem = problemOfText(text, lane);
  if (problem !== null) return refusedRecord(text, problem);
  const raw = parseJson(decodeUtf8(text.json));
  if (raw === undefined) return refusedRecord(text, 'record is no JSON');
  const numbered = numberedSchema.safeParse(raw);
  const seq = numbered.success ? numbered.data.seq : undefined;
  const record = uplinkRecordSchema.safeParse(raw);
  if (record.success) return { seq, raw, uid: record.data.uid, parsed: understandRecord(record.data) };
  const named = z.object({ uid: uidSchema }).safeParse(raw);
  const uid = named.success ? named.data.uid : '';
  return { seq, raw, uid, parsed: { problem: problemOf('record', record.error) } };
}

/** Says why a record is not even parsed; null: it may be. */
function problemOfText({ json, nesting, members }: RecordText, lane: Lane): string | null {
  const bytesMax = lane === 2 ? IMAGE_RECORD_BYTES_MAX : RECORD_BYTES_MAX;
  if (json.byteLength > bytesMax) return `record of ${json.byteLength} bytes, allowed are ${bytesMax}`;
  if (nesting > NESTING_MAX) return `record nested ${nesting} deep, allowed are ${NESTING_MAX}`;
  return members > RECORD_MEMBERS_MAX ? `record of more than ${RECORD_MEMBERS_MAX} members` : null;
}

/** Identifies a record that is not parsed by the number and uid at its beginning. */
function refusedRecord({ json }: RecordText, problem: string): NumberedRecord {
  const [, seq, uid] = RECORD_HEAD.exec(decodeUtf8(json.subarray(0, HEAD_BYTES)).trimStart()) ?? [];
  const named = uidSchema.safeParse(uid);
  return {
    seq: seq === undefined ? undefined : Number(seq),
    raw: decodeUtf8(json.subarray(0, KEPT_LENGTH_MAX)),
    uid: named.success ? named.data : '',
    parsed: { problem },
  };
}

const decodeUtf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
