/** Money is stored in a currency's minor unit and shown in its major unit. */
import { currencyDigits } from '../../../shared/currencies.js';

/** 1.5 EUR -> 150; null for an amount that is no whole number of minor units. */
export function minorUnits(major: number, currency: string): number | null {
  const minor = writtenMinorUnits(major, currency);
  return Number.isInteger(minor) ? minor : null;
}

/** 1.005 EUR -> 101: rounded half up. */
export function roundedMinorUnits(major: number, currency: string): number {
  return Math.round(writtenMinorUnits(major, currency));
}

/** Moves the decimal point of the written number, because 1.005 * 100 is a little less than 100.5. */
function writtenMinorUnits(major: number, currency: string): number {
  const [mantissa = '', exponent = '0'] = String(major).split('e');
  return Number(`${mantissa}e${Number(exponent) + currencyDigits(currency)}`);
}

/** 150 -> 1.5. Without a currency the amount is 0, because nothing can have been paid. */
export function majorUnits(minor: number, currency: string | null): number {
  return currency === null ? minor / 100 : minor / 10 ** currencyDigits(currency);
}
