import { array, assert, integer, property } from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  HEAD_BYTES,
  INITIAL_LENGTH_STATE,
  nextLength,
  type LengthState,
  type PacketHead,
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

const nobody = { judgedFrom: Number.POSITIVE_INFINITY, judge: () => null };

function run(
  pieces: Uint8Array[],
  bytesMax: number,
  judging: { judgedFrom: number; judge(packet: PacketHead): string | null } = nobody,
): LengthState | string {
  let state = INITIAL_LENGTH_STATE;
  for (const piece of pieces) {
    const next = nextLength(state, piece, { bytesMax, ...judging });
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

  it('is judged by how a long packet begins, in whatever pieces it comes, and before the rest has come', () => {
    const body = Uint8Array.from({ length: 1_000 }, (_, index) => index);
    const long = Buffer.concat([packet(1_000).subarray(0, 3), body]);
    const short = packet(499);
    assert(
      property(integer({ min: 1, max: 300 }), (size) => {
        const bytes = Buffer.concat([short, long, short]);
        const pieces: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
        const judged: PacketHead[] = [];
        const judge = (head: PacketHead) => {
          judged.push(head);
          return null;
        };
        expect(run(pieces, 1_000, { judgedFrom: 499, judge })).toEqual(INITIAL_LENGTH_STATE);
        expect(judged).toEqual([{ first: 0x30, length: 1_000, head: Buffer.from(body.subarray(0, HEAD_BYTES)) }]);
      }),
    );
    const refused = { judgedFrom: 499, judge: () => 'not wanted' };
    expect(run([long.subarray(0, 3 + HEAD_BYTES)], 1_000, refused)).toBe('not wanted');
    expect(run([long.subarray(0, 2 + HEAD_BYTES)], 1_000, refused)).toMatchObject({ at: 'head' });
  });

  it('is refused by what it announces, before a byte of the body has come', () => {
    expect(run([Uint8Array.from([0x30, 0xff, 0xff, 0xff, 0x7f])], 1_000_000)).toMatch('allowed are 1000000');
    expect(run([Uint8Array.from([0x30, 0x80, 0x80, 0x80, 0x80])], 1_000_000)).toBe(
      'a packet length of more than four digits',
    );
  });
});
