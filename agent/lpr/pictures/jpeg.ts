/** Reads from a JPEG what can be read without decoding it. */

/** Where the segments of a picture cannot be followed, its end is searched for in so many last bytes. */
const PADDING_BYTES_MAX = 1024;
/** How many segments and fill bytes may stand before the frame header; a camera writes a dozen. */
const STEPS_MAX = 1_000;

/** Says whether the picture has its beginning and its end: cameras also send pictures that are cut off. */
export function isWholeJpeg(bytes: Uint8Array): boolean {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return false;
  return endOf(bytes) !== null;
}

/** Reads the size in pixels from the frame header; null when there is none, or too much stands before it. */
export function jpegSize(bytes: Uint8Array): { width: number; height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  for (let steps = 0; steps < STEPS_MAX && at + 9 <= bytes.length && view.getUint8(at) === 0xff; steps++) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // This is a fill byte before the marker.
      at += 1;
    } else if (marker >= 0xc0 && marker <= 0xcf && !NOT_A_FRAME.has(marker)) {
      const size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      return size.width > 0 && size.height > 0 ? size : null;
    } else {
      at += 2 + view.getUint16(at + 2);
    }
  }
  return null;
}

/**
 * Copies a picture without the metadata that the camera wrote (EXIF with position and serial number, XMP, comments, previews), and without
 * the bytes after its end. Nothing is decoded. null: its segments cannot be followed.
 */
export function withoutMetadata(bytes: Uint8Array): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [bytes.subarray(0, 2)];
  let at = 2;
  for (let steps = 0; steps < STEPS_MAX && at + 4 <= bytes.length && view.getUint8(at) === 0xff; steps++) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) {
      const end = endOf(bytes);
      return end === null || end < at ? null : joined([...kept, bytes.subarray(at, end)]);
    }
    const length = 2 + view.getUint16(at + 2);
    if (!isMetadata(marker)) kept.push(bytes.subarray(at, at + length));
    at += length;
  }
  return null;
}

const START_OF_SCAN = 0xda;
const COMMENT = 0xfe;

/** APP0 (JFIF) holds the size of pixels, APP14 (Adobe) the meaning of the colours. All other APPn segments are metadata. */
const isMetadata = (marker: number): boolean =>
  marker === COMMENT || (marker > 0xe0 && marker <= 0xef && marker !== 0xee);

/**
 * Cuts off the bytes after the end of a picture: padding, a second picture, or data of the camera. A picture without an end stays as it is.
 */
export function trimmedJpeg(bytes: Uint8Array): Uint8Array {
  const end = endOf(bytes);
  return end === null || end === bytes.length ? bytes : bytes.subarray(0, end);
}

/** The position after the end marker of the picture; null: the picture is cut off. */
function endOf(bytes: Uint8Array): number | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const marker = buffer[at + 1];
    if (buffer[at] !== 0xff || marker === undefined) break;
    if (marker === END_OF_IMAGE) return at + 2;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (at + 4 > buffer.length) break;
    at += 2 + buffer.readUInt16BE(at + 2);
    if (marker !== START_OF_SCAN) continue;
    at = endOfScan(buffer, at);
    if (at >= buffer.length) return null;
  }
  return endByMarker(buffer);
}

/** The position of the next marker after a scan. Within a scan, FF00 and restart markers belong to the picture. */
function endOfScan(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(0xff, from); at !== -1; at = buffer.indexOf(0xff, at + 1)) {
    const next = buffer[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return buffer.length;
}

function endByMarker(buffer: Buffer): number | null {
  const from = Math.max(2, buffer.length - PADDING_BYTES_MAX);
  const at = buffer.subarray(from).lastIndexOf(Buffer.from([0xff, END_OF_IMAGE]));
  return at === -1 ? null : from + at + 2;
}

/** The orientation in EXIF, 1 to 8. A picture without one is upright (1). */
export function jpegOrientation(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  for (let steps = 0; steps < STEPS_MAX && at + 4 <= bytes.length && view.getUint8(at) === 0xff; steps++) {
    const marker = view.getUint8(at + 1);
    if (marker === START_OF_SCAN) return UPRIGHT;
    const length = marker === 0xff ? -1 : view.getUint16(at + 2);
    if (marker === APP1 && at + 2 + length <= bytes.length) {
      const found = exifOrientation(new DataView(bytes.buffer, bytes.byteOffset + at + 4, Math.max(0, length - 2)));
      if (found !== null) return found;
    }
    at += 2 + length;
  }
  return UPRIGHT;
}

/** null: the segment is no EXIF, or holds no orientation. */
function exifOrientation(exif: DataView): number | null {
  if (exif.byteLength < 14 || exif.getUint32(0) !== EXIF) return null;
  const isLittle = exif.getUint16(6) === 0x4949;
  const directory = 6 + exif.getUint32(10, isLittle);
  if (directory + 2 > exif.byteLength) return null;
  const entries = exif.getUint16(directory, isLittle);
  for (let entry = 0; entry < entries && directory + 2 + 12 * (entry + 1) <= exif.byteLength; entry++) {
    const at = directory + 2 + 12 * entry;
    if (exif.getUint16(at, isLittle) !== ORIENTATION) continue;
    const value = exif.getUint16(at + 8, isLittle);
    return value >= 1 && value <= 8 ? value : null;
  }
  return null;
}

export const UPRIGHT = 1;
const APP1 = 0xe1;
/** `Exif` */
const EXIF = 0x45786966;
const ORIENTATION = 0x0112;
const END_OF_IMAGE = 0xd9;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** DHT, JPG and DAC have numbers among those of frame headers. */
const NOT_A_FRAME = new Set([0xc4, 0xc8, 0xcc]);
