/**
 * Messages that are longer than one Bluetooth packet are sent in fragments: a header byte (bit 7 first, bit 6 last, bits 5-0 index) and up to
 * MTU - 4 bytes. All fragments of a message but the last must be full, which the receiver checks.
 */
import { concatBytes } from './bytes.js';

export const MESSAGE_BYTES_MAX = 256;
/** The smallest possible MTU. Even with it every message fits into 64 fragments. */
export const MTU_MIN = 23;
const FRAGMENT_GAP_MAX_MS = 2_000;

const FIRST = 0x80;
const LAST = 0x40;
const INDEX_MASK = 0x3f;
/** ATT uses three bytes of each packet, and the fragment header one. */
const OVERHEAD = 4;

/**
 * @param mtu ATT MTU of the link
 * @throws RangeError for a message that is empty or longer than MESSAGE_BYTES_MAX, or an MTU below MTU_MIN
 */
export function splitMessage(message: Uint8Array, mtu: number): Uint8Array[] {
  if (message.length === 0 || message.length > MESSAGE_BYTES_MAX) {
    throw new RangeError(`a message has 1 to ${MESSAGE_BYTES_MAX} bytes, not ${message.length}`);
  }
  if (mtu < MTU_MIN) throw new RangeError(`an MTU is at least ${MTU_MIN}, not ${mtu}`);
  const size = mtu - OVERHEAD;
  const count = Math.ceil(message.length / size);
  return Array.from({ length: count }, (_, index) => {
    const header = index | (index === 0 ? FIRST : 0) | (index === count - 1 ? LAST : 0);
    return concatBytes(Uint8Array.of(header), message.subarray(index * size, (index + 1) * size));
  });
}

/** The received part of an incomplete message; null: nothing is received. */
export type Reassembly = { bytes: Uint8Array; fragmentSize: number; nextIndex: number; lastMs: number } | null;

/** The state at the beginning of a link. */
export const NO_REASSEMBLY: Reassembly = null;

/**
 * Adds one fragment. A fragment that does not continue the received part discards it, because a fragment was lost, repeated or reordered, or
 * came more than 2 s later. A first fragment always begins a new message. The last fragment sets `message`.
 * If the end of one message and the beginning of the next are lost, the remaining fragments may look like one message here. The mac and the
 * tags inside the messages reveal it.
 * @param nowMs of a clock that never goes back
 */
export function receiveFragment(
  reassembly: Reassembly,
  fragment: Uint8Array,
  nowMs: number,
): { reassembly: Reassembly; message: Uint8Array | null } {
  const nothing = { reassembly: NO_REASSEMBLY, message: null };
  const header = fragment[0];
  if (header === undefined || fragment.length === 1) return nothing;
  const body = fragment.slice(1);
  const index = header & INDEX_MASK;
  const isFirst = (header & FIRST) !== 0;
  const isLast = (header & LAST) !== 0;

  const held = isFirst
    ? { bytes: new Uint8Array(0), fragmentSize: body.length, nextIndex: 0, lastMs: nowMs }
    : reassembly;
  if (held === null || index !== held.nextIndex || nowMs - held.lastMs > FRAGMENT_GAP_MAX_MS) return nothing;
  if (isLast ? body.length > held.fragmentSize : body.length !== held.fragmentSize) return nothing;
  const bytes = concatBytes(held.bytes, body);
  if (bytes.length > MESSAGE_BYTES_MAX) return nothing;
  if (isLast) return { reassembly: NO_REASSEMBLY, message: bytes };
  return { reassembly: { bytes, fragmentSize: held.fragmentSize, nextIndex: index + 1, lastMs: nowMs }, message: null };
}
