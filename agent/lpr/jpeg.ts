/** Whether bytes are a whole JPEG, without decoding them: cameras send pictures that were cut off. */

/** Some cameras pad behind the end marker. */
const PADDING_BYTES_MAX = 1024;

export function isWholeJpeg(bytes: Uint8Array): boolean {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return false;
  const from = Math.max(2, bytes.length - PADDING_BYTES_MAX);
  for (let at = bytes.length - 2; at >= from; at--) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
}
