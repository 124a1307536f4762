/**
 * Follows the fixed headers in a stream of MQTT bytes, so that a packet can be refused by the length that it announces. The broker's
 * own parser would first collect up to 256 MiB of it (MQTT 3.1.1, 2.2.3 "Remaining Length").
 */

export type LengthState =
  | { at: 'type' }
  | { at: 'length'; value: number; digits: number }
  | { at: 'body'; remaining: number };

export const INITIAL_LENGTH_STATE: LengthState = { at: 'type' };

const LENGTH_DIGITS_MAX = 4;

/** Returns the state after these bytes, or what is wrong with them: a packet longer than `bytesMax`, or a malformed length. */
export function nextLength(
  state: LengthState,
  bytes: Uint8Array,
  bytesMax: number,
): { state: LengthState } | { refused: string } {
  let current = state;
  let index = 0;
  while (index < bytes.length) {
    if (current.at === 'body') {
      const passed = Math.min(current.remaining, bytes.length - index);
      index += passed;
      current =
        passed === current.remaining ? INITIAL_LENGTH_STATE : { at: 'body', remaining: current.remaining - passed };
      continue;
    }
    const byte = bytes[index] ?? 0;
    index += 1;
    if (current.at === 'type') {
      current = { at: 'length', value: 0, digits: 0 };
      continue;
    }
    const value: number = current.value + (byte & 0x7f) * 128 ** current.digits;
    const digits: number = current.digits + 1;
    if (value > bytesMax) return { refused: `a packet of ${value} bytes or more, allowed are ${bytesMax}` };
    if ((byte & 0x80) === 0) current = value === 0 ? INITIAL_LENGTH_STATE : { at: 'body', remaining: value };
    else if (digits === LENGTH_DIGITS_MAX) return { refused: 'a packet length of more than four digits' };
    else current = { at: 'length', value, digits };
  }
  return { state: current };
}
