/**
 * The outbox keeps a record as the JSON text of an UplinkRecord without its seq. So a record is encoded once, and texts are only joined
 * to send it. The text of an image ends where its base64 belongs.
 */
import type { Uid } from '../../shared/ids.js';
import { decodeJson, type JsonText } from '../../shared/json-text-codec.js';
import type { Lane, OutboxEpoch, RecordPayload } from '../../shared/uplink.js';
import type { ImageEntry, OutboxRow, RecordStamp, WaitingBatch } from './agent-store.js';

const IMAGE_TAIL = '"}}';

/** Encodes a record; `seq` is put in front when it is sent, because a new outbox epoch gives new numbers. */
export function encodeRecord(stamp: RecordStamp, boot_id: Uid, payload: RecordPayload): string {
  const { uid, mono_ms, wall_ms, clock_ok } = stamp;
  return JSON.stringify({ uid, boot_id, mono_ms, wall_ms, clock_ok, payload });
}

/** Encodes an image record up to its base64. */
export function encodeImageHead(image: ImageEntry, boot_id: Uid): string {
  const { owner_uid, role } = image;
  const small = image.thumbnail === null ? {} : { thumbnail: Buffer.from(image.thumbnail).toString('base64') };
  const empty = encodeRecord(image, boot_id, {
    kind: 'image',
    owner_uid,
    role,
    mime: 'image/jpeg',
    ...small,
    data: '',
  });
  return empty.slice(0, -IMAGE_TAIL.length);
}

/** Completes a record for the wire. @param base64 of the picture, for a text made by `encodeImageHead` */
export function withSeq(seq: number, record: string, base64: string | null): string {
  const numbered = `{"seq":${seq},${record.slice(1)}`;
  return base64 === null ? numbered : numbered + base64 + IMAGE_TAIL;
}

/** Encodes a RecordBatch around records made by `withSeq`. */
export function encodeBatch(epoch: OutboxEpoch, lane: Lane, records: string[]): JsonText<WaitingBatch> {
  const text = `{"epoch":"${epoch}","lane":${lane},"records":[${records.join(',')}]}`;
  return text as JsonText<WaitingBatch>;
}

/** Decodes the rows of a batch that the store made itself. */
export function decodeBatch(json: JsonText<WaitingBatch>): OutboxRow[] {
  return decodeJson(json).records;
}
