import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  currencyDigits,
  currencyDigitsExceptions,
  majorUnits,
  minorUnits,
  roundedMinorUnits,
} from '../../../cloud/kernel/price/money.js';

describe('money', () => {
  it.each([
    ['EUR', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['KWD', 3],
  ])('%s has %d decimal digits', (currency, digits) => {
    expect(currencyDigits(currency)).toBe(digits);
    expect(currencyDigitsExceptions().some((each) => each.currency === currency)).toBe(digits !== 2);
  });

  it.each([
    [1.005, 'EUR', 101],
    [1.004, 'EUR', 100],
    [2.675, 'EUR', 268],
    [0.615, 'EUR', 62],
    [150, 'JPY', 150],
    [0.5, 'JPY', 1],
    [0.4999, 'JPY', 0],
    [1.0005, 'KWD', 1_001],
    [1e-7, 'EUR', 0],
    [123_456_789.01, 'EUR', 12_345_678_901],
  ])('%d %s is rounded half up to %d', (major, currency, minor) => {
    expect(roundedMinorUnits(major, currency)).toBe(minor);
  });

  it('comes back from its major unit as it was', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000_000), fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'), (minor, currency) => {
        const major = majorUnits(minor, currency);
        expect(roundedMinorUnits(major, currency)).toBe(minor);
        expect(minorUnits(major, currency)).toBe(minor);
      }),
    );
  });
});
