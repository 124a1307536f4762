/** Money is stored in a currency's minor unit and shown in its major unit. */

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Whether a code is a currency of ISO 4217, in upper case. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** Digits are remembered, because building a number format takes longer than all the rest of an event. */
const digitsOf = new Map<string, number>();

/** How many decimal digits a currency has (ISO 4217): 2 for EUR, 0 for JPY, 3 for KWD. */
export function currencyDigits(currency: string): number {
  const kept = digitsOf.get(currency);
  if (kept !== undefined) return kept;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  digitsOf.set(currency, digits);
  return digits;
}

let exceptions: { currency: string; digits: number }[] | undefined;

/** The currencies that do not have two decimal digits. */
export function currencyDigitsExceptions(): { currency: string; digits: number }[] {
  exceptions ??= [...CURRENCIES]
    .map((currency) => ({ currency, digits: currencyDigits(currency) }))
    .filter(({ digits }) => digits !== 2);
  return exceptions;
}

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
