/** How amounts are written: with the decimal digits that the service counts them in, which browsers do not agree about. */
import { currencyDigits } from '../../../shared/currencies.js';

/** @param notation `compact`: as short as an axis needs it (`1.2K`); `signed`: of a difference, with its sign */
export function moneyFormat(
  locale: string,
  currency: string,
  notation: 'standard' | 'compact' | 'signed' = 'standard',
): Intl.NumberFormat {
  const digits = currencyDigits(currency);
  const signed = notation === 'signed' ? ({ signDisplay: 'exceptZero' } as const) : {};
  const written =
    notation === 'compact' ? { notation } : { minimumFractionDigits: digits, maximumFractionDigits: digits, ...signed };
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...written });
}
