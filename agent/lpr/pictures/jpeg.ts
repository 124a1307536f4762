/** Reads what a JPEG shows without being decoded. */

/** Some cameras add padding behind the end marker. */
const PADDING_BYTES_MAX = 1024;
/** How many segments and fill bytes may stand before the frame header; a camera writes a dozen. */
const STEPS_MAX = 1_000;

/** Whether the picture has its beginning and its end: cameras send pictures that were cut off. */
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
 * Copies a picture without what its camera wrote beside it (EXIF with its position and serial number, XMP, comments, previews), and without what
 * stands behind its end. Nothing is decoded. null: its segments cannot be followed.
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

/** APP0 (JFIF) says how large pixels are, APP14 (Adobe) what the colours mean; all other APPn segments are beside the picture. */
const isMetadata = (marker: number): boolean =>
  marker === COMMENT || (marker > 0xe0 && marker <= 0xef && marker !== 0xee);

/** Where the picture ends, behind its end marker. */
function endOf(bytes: Uint8Array): number | null {
  const from = Math.max(2, bytes.length - PADDING_BYTES_MAX);
  for (let at = bytes.length - 2; at >= from; at--) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return at + 2;
  return null;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** DHT, JPG and DAC stand among the markers of frames. */
const NOT_A_FRAME = new Set([0xc4, 0xc8, 0xcc]);
