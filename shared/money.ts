/** Money is kept in a currency's minor unit and told in its major unit. */

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Whether it is a currency code of ISO 4217, in upper case. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/** How many decimal digits a currency has (ISO 4217): 2 for EUR, 0 for JPY, 3 for KWD. */
export function currencyDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

let exceptions: { currency: string; digits: number }[] | undefined;

/** The currencies that do not have two decimal digits. */
export function currencyDigitsExceptions(): { currency: string; digits: number }[] {
  exceptions ??= [...CURRENCIES]
    .map((currency) => ({ currency, digits: currencyDigits(currency) }))
    .filter(({ digits }) => digits !== 2);
  return exceptions;
}

/** 1.5 EUR -> 150; null when the currency has no such small unit. */
export function minorUnits(major: number, currency: string): number | null {
  const factor = 10 ** currencyDigits(currency);
  const minor = Math.round(major * factor);
  return Math.abs(major * factor - minor) < 1e-6 ? minor : null;
}

/** 150 -> 1.5; without a currency nothing was or can be paid. */
export function majorUnits(minor: number, currency: string | null): number {
  return currency === null ? minor / 100 : minor / 10 ** currencyDigits(currency);
}
