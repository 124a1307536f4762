/** Money is kept in a currency's minor unit and told in its major unit. */

/** How many decimal digits a currency has (ISO 4217): 2 for EUR, 0 for JPY, 3 for KWD. */
export function currencyDigits(currency: string): number {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const found = digitsOf(currency);
  digits.set(currency, found);
  return found;
}

/** Making a number format takes longer than all the rest of an event. */
const digits = new Map<string, number>();

function digitsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Without a currency nothing was or can be paid. */
export function majorUnits(minor: number, currency: string | null): number {
  return currency === null ? minor / 100 : minor / 10 ** currencyDigits(currency);
}
