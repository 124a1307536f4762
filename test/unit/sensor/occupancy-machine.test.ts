import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSilent,
  occupancy,
  type Occupancy,
  type OccupancyRule,
  type PlaceState,
} from '../../../agent/sensor/occupancy-machine.js';

const UNKNOWN: PlaceState = { occupancy: null, changed_ms: 0, heard_mono_ms: null };
const MASK: OccupancyRule = { occupied: { mask: 0b0110 }, sentinels: [] };
const BELOW: OccupancyRule = { occupied: { below: 1_500, hysteresis: 100 }, sentinels: [0xfffe, 0xfffd] };

/** Folds measurements a second apart. */
function fold(rule: OccupancyRule, values: (number | null)[], state = UNKNOWN): PlaceState {
  return values.reduce<PlaceState>(
    (before, value, index) =>
      occupancy(before, { value, rule }, { wall_ms: 1_000_000 + index * 1_000, mono_ms: index * 1_000 }),
    state,
  );
}
const after = (rule: OccupancyRule, ...values: (number | null)[]) => fold(rule, values).occupancy;

const register = fc.integer({ min: 0, max: 65_535 });
const rules: fc.Arbitrary<OccupancyRule> = fc.record({
  occupied: fc.oneof(
    fc.record({ mask: fc.integer({ min: 1, max: 65_535 }) }),
    fc.record({ below: register, hysteresis: register }),
  ),
  sentinels: fc.array(register, { maxLength: 3 }),
});

describe('a mask', () => {
  it.each([
    [0b0000, 'free'],
    [0b0010, 'occupied'],
    [0b0100, 'occupied'],
    [0b1001, 'free'],
    [0xffff, 'occupied'],
  ] satisfies [number, Occupancy][])('%i is %s', (value, expected) => {
    expect(after(MASK, value)).toBe(expected);
  });
});

describe('a threshold with hysteresis', () => {
  it.each([
    [[1_499], 'occupied'],
    [[1_500], 'free'],
    [[1_499, 1_500], 'occupied'],
    [[1_499, 1_600], 'occupied'],
    [[1_499, 1_601], 'free'],
    [[1_601, 1_550], 'free'],
    [[1_601, 1_500, 1_499], 'occupied'],
  ] satisfies [number[], Occupancy][])('%j ends %s', (values, expected) => {
    expect(after(BELOW, ...values)).toBe(expected);
  });

  it('does not flutter while a value trembles within the band', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1_500, max: 1_600 })), fc.boolean(), (values, isOccupied) => {
        const began = fold(BELOW, [isOccupied ? 0 : 3_000]);
        expect(fold(BELOW, values, began)).toMatchObject({
          occupancy: isOccupied ? 'occupied' : 'free',
          changed_ms: began.changed_ms,
        });
      }),
    );
  });
});

describe('silence', () => {
  it('and sentinels change nothing at all', () => {
    fc.assert(
      fc.property(rules, register, fc.array(fc.constantFrom(null, 'sentinel')), (rule, first, silent) => {
        const [sentinel = null] = rule.sentinels;
        const began = fold(rule, [first]);
        expect(
          fold(
            rule,
            silent.map((each) => (each === null ? null : sentinel)),
            began,
          ),
        ).toEqual(began);
      }),
    );
    expect(after(BELOW, 1_000, 0xfffe, null, 0xfffd)).toBe('occupied');
    expect(after(BELOW, null, 0xfffe)).toBeNull();
  });

  it('is too long after three heartbeats', () => {
    const heard = (mono_ms: number) => isSilent(5_000, { heartbeat_s: 30, mono_ms });
    expect([heard(5_000), heard(94_999), heard(95_000)]).toEqual([false, false, true]);
  });
});

describe('any measurements', () => {
  it('tell of a change when it was, and when the sensor was last heard', () => {
    fc.assert(
      fc.property(rules, fc.array(fc.option(register), { minLength: 1 }), (rule, values) => {
        let before = UNKNOWN;
        values.forEach((value, index) => {
          const now = { wall_ms: 1_000 + index, mono_ms: index };
          const state = occupancy(before, { value, rule }, now);
          const isHeard = value !== null && !rule.sentinels.includes(value);
          expect(state.heard_mono_ms).toBe(isHeard ? now.mono_ms : before.heard_mono_ms);
          expect(state.changed_ms).toBe(state.occupancy === before.occupancy ? before.changed_ms : now.wall_ms);
          if (isHeard) expect(state.occupancy).not.toBeNull();
          before = state;
        });
      }),
    );
  });
});
