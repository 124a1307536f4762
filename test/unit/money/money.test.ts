import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { moneyFormat } from '../../../cloud/console/wording/money-format.js';
import {
  currencyDigits,
  currencyDigitsExceptions,
  isCurrency,
  majorUnits,
  minorUnits,
} from '../../../shared/currencies.js';

describe('money', () => {
  it.each([
    ['EUR', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['KWD', 3],
    // The runtimes do not agree about these.
    ['HUF', 2],
    ['RSD', 2],
    ['IDR', 2],
    ['PKR', 2],
    ['COP', 2],
    ['BHD', 3],
    ['IQD', 3],
    ['CLF', 4],
    // Withdrawn; the runtime of amounts that were stored before gave it no digits.
    ['SLL', 2],
  ])('%s has %d decimal digits', (currency, digits) => {
    expect(currencyDigits(currency)).toBe(digits);
    expect(currencyDigitsExceptions().some((each) => each.currency === currency)).toBe(digits !== 2);
  });

  it.each([
    [1.005, 'EUR', null],
    [1.01, 'EUR', 101],
    [2.67, 'EUR', 267],
    [150, 'JPY', 150],
    [0.5, 'JPY', null],
    [1.005, 'KWD', 1_005],
    [1e-7, 'EUR', null],
    [-1.01, 'EUR', -101],
    [123_456_789.01, 'EUR', 12_345_678_901],
    [1.05, null, 105],
    [1.005, null, null],
  ])('%d %s is %j of its coins', (major, currency, minor) => {
    expect(minorUnits(major, currency)).toBe(minor);
  });

  it('is written with the digits that it is counted in, whatever the tables of the browser say', () => {
    const written = (currency: string) =>
      moneyFormat('en', currency)
        .format(350.5)
        .replaceAll(/[^0-9.]/g, '');
    expect(['HUF', 'RSD', 'IDR', 'JPY', 'BHD'].map(written)).toEqual(['350.50', '350.50', '350.50', '351', '350.500']);
    expect(moneyFormat('en', 'HUF', 'compact').format(1_234_567)).toMatch(/1\.2M/);
  });

  it.each(['HRK', 'BGN', 'ANG', 'XAU', 'XDR', 'XXX', 'eur', 'EURO', ''])('knows no currency %j', (code) => {
    expect(isCurrency(code)).toBe(false);
  });

  it('comes back from its major unit as it was', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000_000), fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'), (minor, currency) => {
        const major = majorUnits(minor, currency);
        expect(minorUnits(major, currency)).toBe(minor);
      }),
    );
  });
});
