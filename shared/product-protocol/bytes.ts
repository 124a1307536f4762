/** Helpers on bytes; the protocol is little-endian throughout. */

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Encodes an ASCII label of the protocol, one byte per character. */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** @param hex an even number of hex digits. @throws RangeError otherwise */
export function hexToBytes(hex: string): Uint8Array {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) throw new RangeError('hex digits expected, two for each byte');
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

/** Returns lower-case hex digits. */
export function bytesToHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/** @throws RangeError when the value does not fit into an unsigned integer of that many bytes */
export function uintBytes(value: number, length: 1 | 2 | 4): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * length)) {
    throw new RangeError(`${value} is no unsigned integer of ${length} byte(s)`);
  }
  return Uint8Array.from({ length }, (_, index) => Math.floor(value / 2 ** (8 * index)) % 256);
}

/** @throws RangeError when the bytes end before the integer does. Callers check lengths first */
export function readUint(bytes: Uint8Array, offset: number, length: 1 | 2 | 4): number {
  if (offset + length > bytes.length) throw new RangeError(`no ${length}-byte integer at ${offset} of ${bytes.length}`);
  let value = 0;
  for (let index = length - 1; index >= 0; index--) value = value * 256 + (bytes[offset + index] ?? 0);
  return value;
}
