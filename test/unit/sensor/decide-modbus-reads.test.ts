import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideModbusReads, halves, type ReadRange } from '../../../agent/sensor/modbus/decide-modbus-reads.js';

const reads = (addresses: number[], options: { faulty?: number[]; round?: number; function?: 1 | 2 | 3 | 4 } = {}) =>
  decideModbusReads({ function: 3, round: 0, addresses, ...options, faulty: new Set(options.faulty ?? []) });
const covered = (ranges: ReadRange[]) =>
  ranges.flatMap(({ start, count }) => Array.from({ length: count }, (_, index) => start + index));

describe('the reads of a round', () => {
  it('join neighbours, whatever their order, and nothing else', () => {
    expect(reads([12, 10, 11, 20, 21, 30])).toEqual([
      { start: 10, count: 3 },
      { start: 20, count: 2 },
      { start: 30, count: 1 },
    ]);
    expect(reads([])).toEqual([]);
  });

  it('keep to what one request may ask for', () => {
    const addresses = Array.from({ length: 300 }, (_, index) => index);
    expect(reads(addresses).map(({ count }) => count)).toEqual([125, 125, 50]);
    expect(reads(addresses, { function: 1 }).map(({ count }) => count)).toEqual([300]);
  });

  it('ask for faulty ones alone, and read around them', () => {
    expect(reads([1, 2, 3, 4], { faulty: [2] })).toEqual([
      { start: 1, count: 1 },
      { start: 3, count: 2 },
      { start: 2, count: 1 },
    ]);
  });

  it('ask for at most eight faulty ones per round, and for each in its turn', () => {
    const faulty = Array.from({ length: 21 }, (_, index) => index);
    const rounds = [0, 1, 2].map((round) => covered(reads(faulty, { faulty, round })));
    expect(rounds.map(({ length }) => length)).toEqual([8, 8, 8]);
    expect(new Set(rounds.flat()).size).toBe(21);
  });

  it('ask for every sound register once, and for no other but faulty ones', () => {
    const addresses = fc.array(fc.integer({ min: 0, max: 400 }));
    fc.assert(
      fc.property(
        addresses,
        addresses,
        fc.nat(50),
        fc.constantFrom<1 | 2 | 3 | 4>(1, 2, 3, 4),
        (all, bad, round, code) => {
          const asked = covered(reads(all, { faulty: bad, round, function: code }));
          expect(new Set(asked).size).toBe(asked.length);
          const sound = new Set(all.filter((address) => !bad.includes(address)));
          expect(new Set(asked.filter((address) => !bad.includes(address)))).toEqual(sound);
          expect(asked.every((address) => all.includes(address))).toBe(true);
        },
      ),
    );
  });
});

describe('halves', () => {
  it('are the whole', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.integer({ min: 2, max: 125 }), (start, count) => {
        const [near, far] = halves({ start, count });
        expect(covered([near, far])).toEqual(covered([{ start, count }]));
        expect(Math.min(near.count, far.count)).toBeGreaterThan(0);
      }),
    );
  });
});
