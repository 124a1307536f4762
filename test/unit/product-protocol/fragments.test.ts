import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  MESSAGE_BYTES_MAX,
  NO_REASSEMBLY,
  receiveFragment,
  splitMessage,
} from '../../../shared/product-protocol/fragment-codec.js';
import { runs } from '../../depth.js';

const message = fc.uint8Array({ minLength: 1, maxLength: MESSAGE_BYTES_MAX });
const mtu = fc.integer({ min: 23, max: 260 });

/** What comes out when these fragments come in, at these times. */
function receive(fragments: { bytes: Uint8Array; atMs: number }[]): Uint8Array[] {
  let reassembly = NO_REASSEMBLY;
  const messages: Uint8Array[] = [];
  for (const { bytes, atMs } of fragments) {
    const received = receiveFragment(reassembly, bytes, atMs);
    reassembly = received.reassembly;
    if (received.message !== null) messages.push(received.message);
  }
  return messages;
}

const fragmentOf = (header: number, length: number) => Uint8Array.from([header, ...new Uint8Array(length)]);
const headers = (length: number) => splitMessage(new Uint8Array(length), 23).map(([header]) => header);
const atOnce = (fragments: Uint8Array[]) => fragments.map((bytes) => ({ bytes, atMs: 0 }));

describe('fragments', () => {
  it('carry any message through any MTU', () => {
    fc.assert(
      fc.property(message, mtu, (bytes, size) => {
        const fragments = splitMessage(bytes, size);
        for (const fragment of fragments) expect(fragment.length).toBeLessThanOrEqual(size - 3);
        expect(receive(atOnce(fragments))).toEqual([bytes]);
      }),
    );
  });

  it('have the header of the protocol', () => {
    expect(headers(19)).toEqual([0xc0]);
    expect(headers(20)).toEqual([0x80, 0x41]);
    expect(headers(64)).toEqual([0x80, 0x01, 0x02, 0x43]);
    expect(headers(256)).toHaveLength(14);
  });

  it('lost, repeated and swapped ones give the message or nothing', () => {
    const mishap = fc.record({ kind: fc.constantFrom('lost', 'repeated', 'swapped'), at: fc.nat({ max: 13 }) });
    const long = fc.uint8Array({ minLength: 20, maxLength: MESSAGE_BYTES_MAX });
    fc.assert(
      fc.property(long, fc.array(mishap, { minLength: 1, maxLength: 4 }), (bytes, mishaps) => {
        const fragments = splitMessage(bytes, 23);
        for (const { kind, at } of mishaps) {
          const index = at % Math.max(1, fragments.length);
          const here = fragments.slice(index, index + 1);
          const next = fragments.slice(index + 1, index + 2);
          if (kind === 'lost') fragments.splice(index, 1);
          if (kind === 'repeated') fragments.splice(index, 0, ...here);
          if (kind === 'swapped') fragments.splice(index, 2, ...next, ...here);
        }
        for (const received of receive(atOnce(fragments))) expect(received).toEqual(bytes);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('are no message when one before the last is not full, or the last one is longer than the others', () => {
    expect(receive(atOnce([fragmentOf(0x80, 19), fragmentOf(0x01, 18), fragmentOf(0x42, 1)]))).toEqual([]);
    expect(receive(atOnce([fragmentOf(0x80, 18), fragmentOf(0x41, 19)]))).toEqual([]);
    expect(receive(atOnce([fragmentOf(0x80, 19), fragmentOf(0x41, 19)]))).toHaveLength(1);
  });

  it('arbitrary ones never throw, nor give more than a message may be', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 }), (fragments) => {
        for (const received of receive(atOnce(fragments))) {
          expect(received.length).toBeGreaterThan(0);
          expect(received.length).toBeLessThanOrEqual(MESSAGE_BYTES_MAX);
        }
      }),
    );
  });

  it('are no message with 257 bytes', () => {
    const fragments = splitMessage(new Uint8Array(MESSAGE_BYTES_MAX), 132);
    expect(fragments).toHaveLength(2);
    const tooLong = [
      Uint8Array.from([0x80, ...fragments[0]!.slice(1), 1]),
      Uint8Array.from([0x41, ...fragments[1]!.slice(1)]),
    ];
    expect(tooLong[0]!.length + tooLong[1]!.length - 2).toBe(257);
    expect(receive(atOnce(tooLong))).toEqual([]);
  });

  it('are no message when one comes later than 2 s after the one before', () => {
    const [first, second, third] = splitMessage(new Uint8Array(50), 23);
    const at = (gapMs: number) => [
      { bytes: first!, atMs: 0 },
      { bytes: second!, atMs: 2_000 },
      { bytes: third!, atMs: 2_000 + gapMs },
    ];
    expect(receive(at(2_000))).toHaveLength(1);
    expect(receive(at(2_001))).toHaveLength(0);
  });

  it('end the old message when they are of a new one', () => {
    const old = splitMessage(new Uint8Array(50).fill(1), 23);
    const fresh = new Uint8Array(30).fill(2);
    expect(receive(atOnce([...old.slice(0, 2), ...splitMessage(fresh, 23), ...old.slice(2)]))).toEqual([fresh]);
  });

  it('need a message of 1 to 256 bytes, and an MTU of 23', () => {
    expect(() => splitMessage(new Uint8Array(0), 23)).toThrow(RangeError);
    expect(() => splitMessage(new Uint8Array(257), 247)).toThrow(RangeError);
    expect(() => splitMessage(new Uint8Array(1), 22)).toThrow(RangeError);
  });
});
