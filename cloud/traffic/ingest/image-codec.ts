/** Decodes the picture in an image record. */
import { IMAGE_BASE64_MAX, IMAGE_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import type { ImageRecord } from '../../../shared/uplink.js';
import type { StoredImage } from '../image/image-store.js';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns the picture, or what is wrong with the record. A thumbnail that is no picture is left out. */
export function decodeImage(
  record: Pick<ImageRecord, 'data' | 'thumbnail'>,
): { picture: StoredImage } | { problem: string } {
  if (record.data.length > IMAGE_BASE64_MAX) {
    return { problem: `picture is larger than ${IMAGE_BYTES_MAX} bytes` };
  }
  const jpeg = decodeJpeg(record.data);
  if ('problem' in jpeg) return jpeg;
  const small = record.thumbnail === undefined ? null : decodeJpeg(record.thumbnail);
  return { picture: { jpeg: jpeg.bytes, thumbnail: small === null || 'problem' in small ? null : small.bytes } };
}

function decodeJpeg(base64: string): { bytes: Uint8Array } | { problem: string } {
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) return { problem: 'picture is no base64' };
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return { problem: 'picture is no JPEG' };
  return { bytes };
}
