/**
 * Puts pictures into the image store before the transaction that makes them visible, and takes back those that it did not accept. Only
 * what the transaction will accept is written: a picture that nobody announced, or that does not follow, costs no disk.
 */
import type { Uid } from '../../../shared/ids.js';
import type { ImageRecord } from '../../../shared/uplink.js';
import { type GatewayRow, lotsOfGateway } from '../../equipment/entry.js';
import { arrivedImages, findImages } from '../image/image-queries.js';
import type { ImageStore } from '../image/image-store.js';
import type { Db } from '../../kernel/entry.js';
import { byKey } from './distinct.js';
import { decodeImage } from './image-codec.js';
import { countEarlyRecords, earlyUids, knownUids, readCursor } from './ingest-queries.js';
import { parsePayload } from './plan-record.js';
import { UnusableRecord } from './unusable-record.js';
import type { WireBatch, WireRecord } from './wire-batch-parser.js';

/** How many records of a gateway may wait for others while one more picture comes before what announces it. */
const EARLY_PICTURES_MAX = 100;

export interface KeptPictures {
  /** By seq: what is wrong with a record. */
  unusable: Map<number, string>;
  written: Uid[];
}

interface PictureDeps {
  reader: Db;
  images: Pick<ImageStore, 'put' | 'remove'>;
}

export async function keepPictures(
  { reader, images }: PictureDeps,
  { gateway, batch }: { gateway: Pick<GatewayRow, 'id' | 'lot_id'>; batch: WireBatch },
): Promise<KeptPictures> {
  const kept: KeptPictures = { unusable: new Map(), written: [] };
  if (batch.lane !== 2) return kept;
  const cursor = await readCursor(reader, { gateway_id: gateway.id, epoch: batch.epoch, lane: batch.lane });
  const due = following(batch.records, cursor);
  const uids = due.map(({ uid }) => uid);
  const known = await knownUids(reader, uids);
  const announced = byKey(await findImages(reader, uids), ({ uid }) => uid);
  const lots = await lotsOfGateway(reader, gateway);
  let early = await countEarlyRecords(reader, gateway.id);
  for (const { seq, uid, parsed } of due) {
    const payload = 'problem' in parsed ? null : imageOf(parsed.record.payload);
    if (payload === null || 'problem' in parsed || known.has(uid)) continue;
    const image = announced.get(uid);
    if (image === undefined && early >= EARLY_PICTURES_MAX) {
      kept.unusable.set(seq, `comes before what announces it, as ${early} others did already`);
      continue;
    }
    if (image !== undefined && (!lots.includes(image.lot_id) || image.owner_uid !== payload.owner_uid)) continue;
    if (image !== undefined && image.arrived_at !== null) continue;
    const decoded = decodeImage(payload);
    if ('problem' in decoded) {
      kept.unusable.set(seq, decoded.problem);
      continue;
    }
    await images.put(parsed.record.uid, decoded.picture);
    kept.written.push(parsed.record.uid);
    if (image === undefined) early += 1;
  }
  return kept;
}

/** Removes the pictures whose records were not accepted after all. */
export async function dropRefused({ reader, images }: PictureDeps, { written }: KeptPictures): Promise<void> {
  const accepted = await acceptedPictures(reader, written);
  for (const uid of written) if (!accepted.has(uid)) await images.remove(uid);
}

/** Finds which pictures are shown, or wait for what announces them. */
export async function acceptedPictures(db: Db, uids: readonly Uid[]): Promise<Set<string>> {
  if (uids.length === 0) return new Set();
  return new Set([...(await arrivedImages(db, uids)), ...(await earlyUids(db, uids))]);
}

/** The records that follow the cursor without a gap. */
function following(records: readonly WireRecord[], cursor: number): WireRecord[] {
  const due: WireRecord[] = [];
  for (const record of records) {
    const next = cursor + due.length + 1;
    if (record.seq > next) break;
    if (record.seq === next) due.push(record);
  }
  return due;
}

/** null: the record is no picture. What cannot be read becomes a dead letter when it is applied. */
function imageOf(payload: unknown): ImageRecord | null {
  try {
    const parsed = parsePayload(payload);
    return parsed.kind === 'image' ? parsed : null;
  } catch (error) {
    if (error instanceof UnusableRecord) return null;
    throw error;
  }
}
