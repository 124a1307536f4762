/** Payloads as a line that drops and doubles bytes, a firmware with faults, or somebody hostile makes them of real ones. */
import * as fc from '../property.js';

export const MUTATIONS = ['truncate', 'flip', 'duplicate', 'reorder', 'oversize', 'charset'] as const;
export type Mutation = (typeof MUTATIONS)[number];

const OVERSIZE_BYTES = 200_000;

/** One to three mutations of a payload, and their names. */
export function mutate(bytes: Buffer): fc.Arbitrary<{ bytes: Buffer; mutations: Mutation[] }> {
  const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const step = fc.record({
    name: fc.constantFrom(...MUTATIONS),
    from: place,
    to: place,
    byte: fc.integer({ min: 0, max: 255 }),
  });
  return fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => ({
    bytes: steps.reduce((given, { name, ...how }) => APPLY[name](given, how), bytes),
    mutations: steps.map(({ name }) => name),
  }));
}

interface How {
  from: number;
  to: number;
  byte: number;
}

function cuts(bytes: Buffer, { from, to }: How): [Buffer, Buffer, Buffer] {
  const [start = 0, end = 0] = [from, to].map((each) => Math.floor(each * bytes.length)).sort((a, b) => a - b);
  return [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
}

const APPLY: Readonly<Record<Mutation, (bytes: Buffer, how: How) => Buffer>> = {
  truncate: (bytes, { from }) => bytes.subarray(0, Math.floor(from * bytes.length)),
  flip(bytes, { from, byte }) {
    const flipped = Buffer.from(bytes);
    if (flipped.length > 0) flipped[Math.floor(from * flipped.length)] = byte;
    return flipped;
  },
  duplicate(bytes, how) {
    const [before, piece, after] = cuts(bytes, how);
    return Buffer.concat([before, piece, piece, after]);
  },
  reorder(bytes, how) {
    const [before, piece, after] = cuts(bytes, how);
    return Buffer.concat([after, piece, before]);
  },
  oversize(bytes, how) {
    const [before, piece, after] = cuts(bytes, how);
    return Buffer.concat([before, piece, Buffer.alloc(OVERSIZE_BYTES, how.byte), after]);
  },
  /** As a camera writes it that thinks in another alphabet. */
  charset: (bytes, { byte }) =>
    byte < 128 ? Buffer.from(bytes.toString('utf8'), 'utf16le') : Buffer.from(bytes.toString('utf8'), 'latin1'),
};
