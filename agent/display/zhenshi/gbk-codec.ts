/**
 * Text in GBK, in which screens behind Chinese cameras have their characters. Node decodes it and does not encode it: the table is its own
 * decoder's, turned round, so that it needs no package and is the one of the Encoding Standard.
 */

const LEAD = { first: 0x81, last: 0xfe };
const TRAIL = { first: 0x40, last: 0xfe };
const UNKNOWN = '?';
/** Byte pairs by code unit; 0: there is none. 128 KiB, made when a text needs it for the first time. */
let table: Uint16Array | null = null;

/** @param bytesMax what is longer is cut, never within a character. A character that GBK does not have becomes a question mark. */
export function encodeGbk(text: string, bytesMax: number): number[] {
  const bytes: number[] = [];
  for (const character of text) {
    const encoded = bytesOf(character);
    if (bytes.length + encoded.length > bytesMax) break;
    bytes.push(...encoded);
  }
  return bytes;
}

function bytesOf(character: string): number[] {
  if (/^[\x20-\x7e]$/.test(character)) return [character.charCodeAt(0)];
  table ??= turnedRound();
  // Characters beyond the first plane have two code units; GBK has none of them.
  const pair = character.length === 1 ? (table[character.charCodeAt(0)] ?? 0) : 0;
  return pair === 0 ? [UNKNOWN.charCodeAt(0)] : [pair >> 8, pair & 0xff];
}

function turnedRound(): Uint16Array {
  const decoder = new TextDecoder('gbk');
  const pairs = new Uint16Array(65_536);
  for (let lead = LEAD.first; lead <= LEAD.last; lead++) {
    for (let trail = TRAIL.first; trail <= TRAIL.last; trail++) {
      const decoded = decoder.decode(Uint8Array.of(lead, trail));
      // Bytes that are no pair decode to the mark of an error, alone or before an ASCII character.
      if (decoded.length === 1 && decoded !== '\ufffd') pairs[decoded.charCodeAt(0)] ||= lead * 256 + trail;
    }
  }
  return pairs;
}
