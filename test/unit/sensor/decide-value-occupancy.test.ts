import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideValueOccupancy } from '../../../agent/sensor/decide-value-occupancy.js';
import type { Occupancy } from '../../../agent/sensor/sensor-source.js';
import type { OccupancyRule } from '../../../shared/drivers/occupancy-rule.js';

const MASK: OccupancyRule = { occupied: { mask: 0b0110 }, sentinels: [] };
const BELOW: OccupancyRule = { occupied: { below: 1_500, hysteresis: 100 }, sentinels: [0xfffe, 0xfffd] };

/** The last state after these values; a value that is no measurement leaves the state before it. */
const after = (rule: OccupancyRule, ...values: number[]) =>
  values.reduce<Occupancy | null>((before, value) => decideValueOccupancy(value, rule, before) ?? before, null);

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
        expect(after(BELOW, isOccupied ? 0 : 3_000, ...values)).toBe(isOccupied ? 'occupied' : 'free');
      }),
    );
  });
});

describe('any value', () => {
  it('says how its place is, unless it is a sentinel', () => {
    fc.assert(
      fc.property(rules, register, fc.constantFrom('free', 'occupied', null), (rule, value, before) => {
        expect(decideValueOccupancy(value, rule, before) === null).toBe(rule.sentinels.includes(value));
      }),
    );
    expect(after(BELOW, 1_000, 0xfffe, 0xfffd)).toBe('occupied');
    expect(after(BELOW, 0xfffe)).toBeNull();
  });
});
