import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  decideModbusReads,
  halves,
  type ReadRange,
  type ValueFault,
} from '../../../agent/sensor/modbus/decide-modbus-reads.js';

const reads = (
  addresses: number[],
  options: { refused?: number[]; silent?: number[]; round?: number; length?: number; countMax?: number } = {},
) => {
  const { refused = [], silent = [], ...others } = options;
  const faulty = new Map<number, ValueFault>();
  for (const address of refused) faulty.set(address, 'refused');
  for (const address of silent) faulty.set(address, 'silent');
  return decideModbusReads({ round: 0, length: 1, countMax: 125, silentEvery: 100, addresses, ...others, faulty });
};
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
    expect(reads(addresses, { countMax: 2_000 }).map(({ count }) => count)).toEqual([300]);
  });

  it('ask for faulty ones alone, and read around them', () => {
    expect(reads([1, 2, 3, 4], { refused: [2] })).toEqual([
      { start: 1, count: 1 },
      { start: 3, count: 2 },
      { start: 2, count: 1 },
    ]);
  });

  it('ask for at most eight faulty ones per round, and for each in its turn', () => {
    const faulty = Array.from({ length: 21 }, (_, index) => index);
    const rounds = [0, 1, 2].map((round) => covered(reads(faulty, { refused: faulty, round })));
    expect(rounds.map(({ length }) => length)).toEqual([8, 8, 8]);
    expect(new Set(rounds.flat()).size).toBe(21);
  });

  it('ask for one silent value in so many rounds, for each in its turn and as the last', () => {
    const rounds = Array.from({ length: 300 }, (_, round) => reads([1, 2, 3, 4, 5], { silent: [2, 3, 5], round }));
    const asked = rounds.filter((ranges) => ranges.length > 2);
    expect(asked).toHaveLength(3);
    expect(asked.map((ranges) => ranges.at(-1))).toEqual([2, 3, 5].map((start) => ({ start, count: 1 })));
  });

  it('never ask for a value of two registers in two requests, nor for one that begins within another with it', () => {
    expect(reads([0, 2, 4, 6], { length: 2, countMax: 5 })).toEqual([
      { start: 0, count: 4 },
      { start: 4, count: 4 },
    ]);
    expect(reads([0, 1, 3], { length: 2 })).toEqual([
      { start: 0, count: 2 },
      { start: 1, count: 4 },
    ]);
  });

  it('ask for every sound register once, and for no other but faulty ones', () => {
    const addresses = fc.array(fc.integer({ min: 0, max: 400 }));
    fc.assert(
      fc.property(addresses, addresses, fc.nat(50), fc.integer({ min: 1, max: 125 }), (all, bad, round, countMax) => {
        const asked = covered(reads(all, { refused: bad, round, countMax }));
        expect(new Set(asked).size).toBe(asked.length);
        const sound = new Set(all.filter((address) => !bad.includes(address)));
        expect(new Set(asked.filter((address) => !bad.includes(address)))).toEqual(sound);
        expect(asked.every((address) => all.includes(address))).toBe(true);
      }),
    );
  });
});

describe('halves', () => {
  it('are the whole', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.integer({ min: 2, max: 125 }), fc.constantFrom(1, 2), (start, values, length) => {
        const count = values * length;
        const [near, far] = halves({ start, count }, length);
        expect(covered([near, far])).toEqual(covered([{ start, count }]));
        expect(Math.min(near.count, far.count)).toBeGreaterThan(0);
        expect(near.count % length).toBe(0);
      }),
    );
  });
});
