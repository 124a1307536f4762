/** Parses a batch as it arrives. The frame must be right; a wrong record does not affect the others. */
import { z } from 'zod';
import { uidSchema } from '../../../shared/ids.js';
import {
  BATCH_BYTES_MAX,
  IMAGE_RECORD_BYTES_MAX,
  NESTING_MAX,
  RECORD_BYTES_MAX,
  RECORD_MEMBERS_MAX,
} from '../../../shared/uplink-bounds.js';
import { recordBatchSchema, uplinkRecordSchema, type Lane, type UplinkRecord } from '../../../shared/uplink.js';
import { type RecordText, splitBatch } from './batch-text-parser.js';
import { KEPT_LENGTH_MAX } from './kept-record-codec.js';
import { parseJson } from '../../../shared/json-text-codec.js';

const frameSchema = recordBatchSchema.omit({ records: true });
const numberedSchema = uplinkRecordSchema.pick({ seq: true });
/** How a gateway begins a record: what it is can be told from this when the rest is not to be read. */
const RECORD_HEAD = /^\{"seq":([1-9]\d{0,14}),"uid":"([0-9a-f-]{36})"/;
const HEAD_BYTES = 256;

export interface WireRecord {
  seq: number;
  /** The record as sent, for a dead letter. */
  raw: unknown;
  /** Empty when the record has none. */
  uid: string;
  parsed: { record: UplinkRecord } | { problem: string };
}

export interface WireBatch extends z.infer<typeof frameSchema> {
  records: WireRecord[];
}

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

type ParsedRecord = Omit<WireRecord, 'seq'> & { seq: number | undefined };

function parseRecord(text: RecordText, lane: Lane): ParsedRecord {
  const problem = problemOfText(text, lane);
  if (problem !== null) return refusedRecord(text, problem);
  const raw = parseJson(decodeUtf8(text.json));
  if (raw === undefined) return refusedRecord(text, 'record is no JSON');
  const numbered = numberedSchema.safeParse(raw);
  const seq = numbered.success ? numbered.data.seq : undefined;
  const record = uplinkRecordSchema.safeParse(raw);
  if (record.success) return { seq, raw, uid: record.data.uid, parsed: { record: record.data } };
  const named = z.object({ uid: uidSchema }).safeParse(raw);
  const issue = record.error.issues[0];
  return {
    seq,
    raw,
    uid: named.success ? named.data.uid : '',
    parsed: { problem: `record not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim() },
  };
}

/** Says why a record is not even parsed; null: it may be. */
function problemOfText({ json, nesting, members }: RecordText, lane: Lane): string | null {
  const bytesMax = lane === 2 ? IMAGE_RECORD_BYTES_MAX : RECORD_BYTES_MAX;
  if (json.byteLength > bytesMax) return `record of ${json.byteLength} bytes, allowed are ${bytesMax}`;
  if (nesting > NESTING_MAX) return `record nested ${nesting} deep, allowed are ${NESTING_MAX}`;
  return members > RECORD_MEMBERS_MAX ? `record of more than ${RECORD_MEMBERS_MAX} members` : null;
}

/** Its number and uid stand at its beginning, where every gateway writes them. */
function refusedRecord({ json }: RecordText, problem: string): ParsedRecord {
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
