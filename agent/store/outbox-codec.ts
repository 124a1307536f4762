/**
 * How a record rests in the outbox: as the JSON text of an UplinkRecord without its seq, so that it is written once, and
 * sending it is joining texts. An image's text stops where its base64 belongs.
 */
import type { Uid } from '../../shared/ids.js';
import type { Epoch, Lane, RecordBatch, RecordPayload } from '../../shared/uplink.js';
import type { ImageEntry, OutboxRow, RecordStamp } from './agent-store.js';

const IMAGE_TAIL = '"}}';

/** The text of a record; `seq` is put in front when it is sent, because a new epoch numbers anew. */
export function encodeRecord(stamp: RecordStamp, boot_id: Uid, payload: RecordPayload): string {
  const { uid, mono_ms, wall_ms, clock_ok } = stamp;
  return JSON.stringify({ uid, boot_id, mono_ms, wall_ms, clock_ok, payload });
}

/** The text of an image record up to its base64. */
export function encodeImageHead(image: ImageEntry, boot_id: Uid): string {
  const { owner_uid, role } = image;
  const empty = encodeRecord(image, boot_id, { kind: 'image', owner_uid, role, mime: 'image/jpeg', data: '' });
  return empty.slice(0, -IMAGE_TAIL.length);
}

/** A record as it travels. @param base64 of the picture, for a text made by `encodeImageHead` */
export function withSeq(seq: number, record: string, base64: string | null): string {
  const numbered = `{"seq":${seq},${record.slice(1)}`;
  return base64 === null ? numbered : numbered + base64 + IMAGE_TAIL;
}

/** The JSON of a RecordBatch around records made by `withSeq`. */
export function encodeBatch(epoch: Epoch, lane: Lane, records: string[]): string {
  return `{"epoch":"${epoch}","lane":${lane},"records":[${records.join(',')}]}`;
}

/** The rows of a batch the store made itself. */
export function decodeBatch(json: string): OutboxRow[] {
  const batch = JSON.parse(json) as Omit<RecordBatch, 'records'> & { records: OutboxRow[] };
  return batch.records;
}
