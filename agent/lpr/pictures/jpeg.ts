/** Reads what a JPEG shows without being decoded. */

/** Some cameras add padding behind the end marker. */
const PADDING_BYTES_MAX = 1024;
/** How many segments and fill bytes may stand before the frame header; a camera writes a dozen. */
const STEPS_MAX = 1_000;

/** Whether the picture has its beginning and its end: cameras send pictures that were cut off. */
export function isWholeJpeg(bytes: Uint8Array): boolean {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return false;
  const from = Math.max(2, bytes.length - PADDING_BYTES_MAX);
  for (let at = bytes.length - 2; at >= from; at--) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
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

/** DHT, JPG and DAC stand among the markers of frames. */
const NOT_A_FRAME = new Set([0xc4, 0xc8, 0xcc]);
