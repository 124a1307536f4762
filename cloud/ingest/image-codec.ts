/** Decodes the picture in an image record. */
import { IMAGE_BASE64_MAX, IMAGE_BYTES_MAX } from '../../shared/uplink-bounds.js';
import type { ImageRecord } from '../../shared/uplink.js';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns the bytes of the JPEG, or what is wrong with the record. */
export function decodeImage(record: Pick<ImageRecord, 'data'>): { jpeg: Uint8Array } | { problem: string } {
  if (record.data.length > IMAGE_BASE64_MAX) {
    return { problem: `picture is larger than ${IMAGE_BYTES_MAX} bytes` };
  }
  if (record.data.length % 4 !== 0 || !BASE64.test(record.data)) return { problem: 'picture is no base64' };
  const jpeg = Uint8Array.from(Buffer.from(record.data, 'base64'));
  if (jpeg[0] !== 0xff || jpeg[1] !== 0xd8 || jpeg[2] !== 0xff) return { problem: 'picture is no JPEG' };
  return { jpeg };
}
