/**
 * Puts pictures into the image store before the transaction that makes them visible, and removes those that it did not accept. Only
 * pictures that the transaction will probably accept are written: one that does not follow its lane's cursor costs no disk.
 */
import { keyBy } from '../../../shared/grouping.js';
import type { Uid } from '../../../shared/ids.js';
import { IMAGE_BASE64_MAX, IMAGE_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import type { ImageRecord } from '../../../shared/uplink.js';
import { type GatewayRow, lotsOfGateway } from '../../equipment/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { arrivedImages, findImages } from '../image/image-queries.js';
import type { ImageStore, StoredImage } from '../image/image-store.js';
import { countEarlyRecords, earlyUids, knownUids, readCursor } from './ingest-queries.js';
import type { WireBatch, WireRecord } from './read/wire-batch-parser.js';

/** With so many records of a gateway waiting for others, a picture that comes before the record that announces it is refused. */
const EARLY_PICTURES_MAX = 100;

export interface KeptPictures {
  /** The batch; records whose pictures were refused say why. */
  batch: WireBatch;
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
  const written: Uid[] = [];
  if (batch.lane !== 2) return { batch, written };
  const cursor = await readCursor(reader, { gateway_id: gateway.id, epoch: batch.epoch, lane: batch.lane });
  const due = following(batch.records, cursor);
  const uids = due.map(({ uid }) => uid);
  const known = await knownUids(reader, uids);
  const announced = keyBy(await findImages(reader, uids), ({ uid }) => uid);
  const lots = await lotsOfGateway(reader, gateway);
  let early = await countEarlyRecords(reader, gateway.id);
  const refused = new Map<WireRecord, string>();
  for (const wire of due) {
    const { uid, parsed } = wire;
    if ('problem' in parsed || parsed.payload.kind !== 'image' || known.has(uid)) continue;
    const { record, payload } = parsed;
    const image = announced.get(uid);
    if (image === undefined && early >= EARLY_PICTURES_MAX) {
      refused.set(wire, `comes before what announces it, as ${early} others did already`);
      continue;
    }
    if (image !== undefined && (!lots.includes(image.lot_id) || image.owner_uid !== payload.owner_uid)) continue;
    if (image !== undefined && image.arrived_at !== null) continue;
    const decoded = decodeImage(payload);
    if ('problem' in decoded) {
      refused.set(wire, decoded.problem);
      continue;
    }
    await images.put(record.uid, decoded.picture);
    written.push(record.uid);
    if (image === undefined) early += 1;
  }
  const records = batch.records.map((wire): WireRecord => {
    const problem = refused.get(wire);
    return problem === undefined ? wire : { ...wire, parsed: { problem } };
  });
  return { batch: { ...batch, records }, written };
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

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns the picture, or what is wrong with the record. A thumbnail that is no picture is left out. */
function decodeImage({ data, thumbnail }: ImageRecord): { picture: StoredImage } | { problem: string } {
  if (data.length > IMAGE_BASE64_MAX) return { problem: `picture is larger than ${IMAGE_BYTES_MAX} bytes` };
  const jpeg = decodeJpeg(data);
  if ('problem' in jpeg) return jpeg;
  const small = thumbnail === undefined ? null : decodeJpeg(thumbnail);
  return { picture: { jpeg: jpeg.bytes, thumbnail: small === null || 'problem' in small ? null : small.bytes } };
}

function decodeJpeg(base64: string): { bytes: Uint8Array } | { problem: string } {
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) return { problem: 'picture is no base64' };
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return { problem: 'picture is no JPEG' };
  return { bytes };
}
