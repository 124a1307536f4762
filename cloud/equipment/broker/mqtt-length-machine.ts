/**
 * Follows the fixed headers in a stream of MQTT bytes, so that a packet can be refused by the length that it announces, and a larger one by
 * how its body begins. The broker's own parser would first collect up to 256 MiB of it (MQTT 3.1.1, 2.2.3 "Remaining Length").
 */

export type LengthState =
  | { at: 'type' }
  | { at: 'length'; first: number; value: number; digits: number }
  | { at: 'head'; packet: PacketHead; remaining: number }
  | { at: 'body'; remaining: number };

/** The beginning of a packet. */
export interface PacketHead {
  /** Its first byte: type and flags. */
  first: number;
  /** How many bytes follow the fixed header. */
  length: number;
  /** The first of these, at most `HEAD_BYTES`. */
  head: Uint8Array;
}

export interface LengthLimits {
  /** No packet is longer. */
  bytesMax: number;
  /** Longer packets are judged by how they begin. */
  judgedFrom: number;
  /** Returns why a packet is refused; null: it is not. */
  judge(packet: PacketHead): string | null;
}

/** Enough for the topic of a gateway, a packet's number and what tells how large a message may be. */
export const HEAD_BYTES = 160;

export const INITIAL_LENGTH_STATE: LengthState = { at: 'type' };

const LENGTH_DIGITS_MAX = 4;

/** Returns the state after these bytes, or what is wrong with them: a packet longer than it may be, or a malformed length. */
export function nextLength(
  state: LengthState,
  bytes: Uint8Array,
  limits: LengthLimits,
): { state: LengthState } | { refused: string } {
  const { bytesMax, judgedFrom } = limits;
  let current = state;
  let index = 0;
  while (index < bytes.length) {
    if (current.at === 'body') {
      const passed = Math.min(current.remaining, bytes.length - index);
      index += passed;
      current = bodyOf(current.remaining - passed);
      continue;
    }
    if (current.at === 'head') {
      const next = nextHead(current, bytes.subarray(index), limits);
      if ('refused' in next) return next;
      index += next.passed;
      current = next.state;
      continue;
    }
    const byte = bytes[index] ?? 0;
    index += 1;
    if (current.at === 'type') {
      current = { at: 'length', first: byte, value: 0, digits: 0 };
      continue;
    }
    const value: number = current.value + (byte & 0x7f) * 128 ** current.digits;
    const digits: number = current.digits + 1;
    if (value > bytesMax) return { refused: `a packet of ${value} bytes or more, allowed are ${bytesMax}` };
    if ((byte & 0x80) === 0) current = value > judgedFrom ? headOf(current.first, value) : bodyOf(value);
    else if (digits === LENGTH_DIGITS_MAX) return { refused: 'a packet length of more than four digits' };
    else current = { ...current, value, digits };
  }
  return { state: current };
}

const bodyOf = (remaining: number): LengthState => (remaining === 0 ? INITIAL_LENGTH_STATE : { at: 'body', remaining });

const headOf = (first: number, length: number): LengthState => ({
  at: 'head',
  packet: { first, length, head: new Uint8Array() },
  remaining: length,
});

/** Collects the head, and judges the packet once it is whole. */
function nextHead(
  { packet, remaining }: Extract<LengthState, { at: 'head' }>,
  bytes: Uint8Array,
  { judge }: LengthLimits,
): { state: LengthState; passed: number } | { refused: string } {
  const passed = Math.min(bytes.length, remaining, HEAD_BYTES - packet.head.length);
  const whole = { ...packet, head: Buffer.concat([packet.head, bytes.subarray(0, passed)]) };
  const left = remaining - passed;
  if (left > 0 && whole.head.length < HEAD_BYTES) {
    return { state: { at: 'head', packet: whole, remaining: left }, passed };
  }
  const refused = judge(whole);
  return refused === null ? { state: bodyOf(left), passed } : { refused };
}
