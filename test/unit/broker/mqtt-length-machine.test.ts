import { array, assert, integer, property } from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  INITIAL_LENGTH_STATE,
  nextLength,
  type LengthState,
} from '../../../cloud/equipment/broker/mqtt-length-machine.js';

/** A packet with a body of this length. */
function packet(length: number): Uint8Array {
  const digits: number[] = [];
  let rest = length;
  do {
    digits.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Uint8Array.from([0x30, ...digits, ...new Uint8Array(length)]);
}

function run(pieces: Uint8Array[], bytesMax: number): LengthState | string {
  let state = INITIAL_LENGTH_STATE;
  for (const piece of pieces) {
    const next = nextLength(state, piece, bytesMax);
    if ('refused' in next) return next.refused;
    state = next.state;
  }
  return state;
}

describe('the length of MQTT packets', () => {
  it('is followed through whatever pieces the bytes come in', () => {
    const lengths = array(integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 6 });
    assert(
      property(lengths, array(integer({ min: 1, max: 9_000 })), (bodies, cuts) => {
        const bytes = Buffer.concat(bodies.map(packet));
        const pieces: Uint8Array[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        pieces.push(bytes.subarray(at));
        const longest = Math.max(...bodies);
        expect(run(pieces, longest)).toEqual(INITIAL_LENGTH_STATE);
        if (longest > 0) expect(run(pieces, longest - 1)).toMatch(/^a packet of \d+ bytes or more/);
      }),
    );
  });

  it('is refused by what it announces, before a byte of the body has come', () => {
    expect(run([Uint8Array.from([0x30, 0xff, 0xff, 0xff, 0x7f])], 1_000_000)).toMatch('allowed are 1000000');
    expect(run([Uint8Array.from([0x30, 0x80, 0x80, 0x80, 0x80])], 1_000_000)).toBe(
      'a packet length of more than four digits',
    );
  });
});
