import { describe, expect, it } from 'vitest';
import type { ReadRange } from '../../../agent/sensor/modbus/decide-modbus-reads.js';
import { ModbusException } from '../../../agent/sensor/modbus/modbus-connection.js';
import { createRegisterRounds, type ModbusLink } from '../../../agent/sensor/modbus/register-rounds.js';
import * as fc from '../../property.js';

interface Unit {
  isGone: boolean;
  /** It is silent to more, or refuses more. */
  silentAbove: number;
  refusedAbove: number;
  silent: ReadonlySet<number>;
  refused: ReadonlySet<number>;
  /** It does not answer so many of the next questions. */
  deafFor: number;
}

/** A unit whose registers hold their own addresses. */
function bench(unit: Partial<Unit>, { addresses, ...register }: { addresses: number[]; max_registers?: number }) {
  const state: Unit = {
    isGone: false,
    silentAbove: Infinity,
    refusedAbove: Infinity,
    silent: new Set(),
    refused: new Set(),
    deafFor: 0,
    ...unit,
  };
  const asked: ReadRange[] = [];
  const handed = new Map<number, number>();
  const notified: string[] = [];
  const rounds = createRegisterRounds({ function: 3, ...register }, { addresses, poll_ms: 1_000 });
  const link: ModbusLink = {
    read({ range: { start, count } }) {
      asked.push({ start, count });
      const all = Array.from({ length: count }, (_, index) => start + index);
      const isDeaf = state.deafFor > 0;
      state.deafFor -= 1;
      if (state.isGone || isDeaf || count > state.silentAbove || all.some((address) => state.silent.has(address))) {
        return Promise.reject(new Error('no answer'));
      }
      const isRefused = count > state.refusedAbove || all.some((address) => state.refused.has(address));
      return isRefused ? Promise.reject(new ModbusException(3)) : Promise.resolve(all);
    },
    renew(fault, values) {
      notified.push(String(fault));
      for (const [address, value] of values) handed.set(address, value);
      return Promise.resolve();
    },
  };
  /** What a round asked for, and the error that ended it. */
  async function round() {
    asked.length = 0;
    const read = await rounds.read(link).catch((error: Error) => error);
    if (!(read instanceof Error)) for (const [address, value] of read.values) handed.set(address, value);
    return { counts: asked.map(({ count }) => count), asked: [...asked], error: read instanceof Error ? read : null };
  }
  return { state, rounds, handed, notified, round };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a unit that is silent to large requests', () => {
  it('is asked in halves until it answers, and in that size at once from then on', async () => {
    const { round, handed, rounds } = bench({ silentAbove: 40 }, { addresses: upTo(100) });
    // Each silence is followed by one register, which shows that the unit is there. Once it is asked the same again.
    expect((await round()).counts).toEqual([100, 1, 100, 1, 50, 1, 25, 25, 50, 1, 25, 25]);
    expect([...handed].toSorted(([a], [b]) => a - b)).toEqual(upTo(100).map((address) => [address, address]));
    for (const _ of upTo(300)) expect((await round()).counts).toEqual([25, 25, 25, 25]);
    expect(rounds.faults()).toEqual([]);
  });

  it('is asked in the size of the setting from the start', async () => {
    const { round } = bench({ silentAbove: 40 }, { addresses: upTo(100), max_registers: 40 });
    expect((await round()).counts).toEqual([40, 40, 20]);
  });

  it('or refuses them is asked for single registers where it gives no more', async () => {
    for (const habit of [{ silentAbove: 1 }, { refusedAbove: 1 }]) {
      const { round, handed } = bench(habit, { addresses: upTo(9) });
      await round();
      expect(handed.size).toBe(9);
      expect((await round()).counts).toEqual(Array(9).fill(1));
    }
  });

  it('is not thought of where it once gave as much', async () => {
    const { round, state, notified } = bench({}, { addresses: upTo(100) });
    await round();
    state.deafFor = 1;
    expect((await round()).counts).toEqual([100, 1, 100]);
    expect(notified).toEqual(['Error: no answer']);
    // It may have been replaced by another that gives less: that is found in two rounds.
    state.silentAbove = 40;
    for (const _ of upTo(2)) await round();
    expect((await round()).counts).toEqual([25, 25, 25, 25]);
  });
});

it('a unit is not taken for gone because its one silent register is asked for whether it is there', async () => {
  const { round, handed } = bench(
    { silent: new Set([48]), silentAbove: 1, refusedAbove: 1 },
    { addresses: [49, 48, 0] },
  );
  for (const _ of upTo(5)) expect((await round()).error).toBeNull();
  expect([...handed.keys()].toSorted((a, b) => a - b)).toEqual([0, 49]);
});

describe('a unit that is gone', () => {
  it('is asked for one register a round, and for all as soon as it answers', async () => {
    const { round, state } = bench({ isGone: true }, { addresses: upTo(100) });
    const { counts, error } = await round();
    expect(counts).toEqual([100, 1]);
    expect(error?.message).toBe('no answer');
    for (const _ of upTo(50)) expect((await round()).counts).toEqual([1]);
    state.isGone = false;
    expect((await round()).counts).toEqual([1, 100]);
    expect((await round()).counts).toEqual([100]);
  });

  it('is asked for its only register', async () => {
    const { round } = bench({ isGone: true }, { addresses: [7] });
    for (const _ of upTo(5)) {
      const { counts, error } = await round();
      expect(counts).toEqual([1]);
      expect(error).not.toBeNull();
    }
  });
});

describe('a register without an answer', () => {
  it('is named, the others are read, and it is asked for again now and then', async () => {
    const silent = new Set([3, 60]);
    const { round, state, handed, rounds } = bench({ silent }, { addresses: upTo(100) });
    await round();
    await round();
    expect([...handed.keys()].toSorted((a, b) => a - b)).toEqual(upTo(100).filter((address) => !silent.has(address)));
    expect(rounds.faults()).toEqual(['register 3, 60: no answer']);
    const later: ReadRange[][] = [];
    for (const _ of upTo(300)) later.push((await round()).asked);
    expect(later.flat().filter(({ start }) => silent.has(start)).length).toBeLessThanOrEqual(4);
    state.silent = new Set();
    for (const _ of upTo(201)) await round();
    expect(rounds.faults()).toEqual([]);
    expect(handed.size).toBe(100);
  });
});

it('whatever a unit is silent to or refuses, all that it gives is read, and soon without asking in vain', async () => {
  const addresses = fc.uniqueArray(fc.nat(150), { minLength: 1, maxLength: 120 });
  const few = fc.uniqueArray(fc.nat(150), { maxLength: 6 });
  const above = fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 125 }));
  await fc.assert(
    fc.asyncProperty(addresses, few, few, above, above, async (all, silent, refused, silentAbove, refusedAbove) => {
      const unit = { silent: new Set(silent), refused: new Set(refused), silentAbove, refusedAbove };
      const { round, handed } = bench(unit, { addresses: all });
      let vain = 0;
      for (const _ of upTo(60)) vain += (await round()).error === null ? 0 : 1;
      const sound = all.filter((address) => !unit.silent.has(address) && !unit.refused.has(address));
      expect([...handed.keys()].toSorted((a, b) => a - b)).toEqual(sound.toSorted((a, b) => a - b));
      // As long as a register answers, a round only ends early when the one that shows it is a silent one itself.
      if (sound.length > 0) expect(vain).toBeLessThanOrEqual(2 * silent.length);
      const last = await round();
      const asks = last.asked.filter(({ start, count }) => count > 1 || !unit.silent.has(start));
      if (sound.length > silent.length) expect(asks.length).toBeLessThanOrEqual(all.length);
    }),
  );
});
