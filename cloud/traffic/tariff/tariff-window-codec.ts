/** Converts the windows of tariffs (hours of the week with a different price) between REST and the database. */
import { majorUnits, minorUnits } from '../../../shared/currencies.js';
import { decodeJson, encodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import { type PriceLine, priceLinesBy } from './price-lines.js';
import { type PriceOfStay, priceStaysBy, type Stay, type TariffWindow } from './price-stay.js';

/** A window with its price in the major unit. Without `step_minutes` the step of the tariff applies. */
export interface GivenWindow extends Omit<TariffWindow, 'days' | 'step_minutes'> {
  days: number[];
  step_minutes?: number | undefined;
}

/** Windows as they are stored: sorted days, prices in the minor unit. */
export type StoredWindows = JsonText<TariffWindow[]>;

/** Sorts the days, drops repeated ones, and converts prices to the minor unit. */
export function encodeWindows(
  windows: readonly GivenWindow[],
  { currency, step_minutes }: { currency: string; step_minutes: number },
): StoredWindows {
  return encodeJson(
    windows.map((window) => ({
      days: [...new Set(window.days)].toSorted((a, b) => a - b),
      start: window.start,
      end: window.end,
      step_minutes: window.step_minutes ?? step_minutes,
      price: minorPrice(window.price, currency),
    })),
  );
}

/** Which prices a currency has is checked before: `tariff-resource.ts` refuses what it has no coins for. */
export function minorPrice(price: number, currency: string): number {
  const minor = minorUnits(price, currency);
  if (minor === null) throw new Error(`${price} is no price in ${currency}`);
  return minor;
}

/** Converts prices to the major unit. */
export function decodeWindows(windows: StoredWindows, currency: string): (GivenWindow & { step_minutes: number })[] {
  return decodeJson(windows).map(({ days, price, ...window }) => ({
    ...window,
    days: [...days],
    price: majorUnits(price, currency),
  }));
}

type StoredTariff = Pick<
  Row<'tariffs'>,
  'currency' | 'free_minutes' | 'price_minor' | 'step_minutes' | 'daily_max_minor' | 'windows'
>;

/** Prepares a tariff of the database for pricing stays. */
export function tariffPrice(tariff: StoredTariff, timezone: string): PriceOfStay {
  return priceStaysBy({ ...tariff, windows: decodeJson(tariff.windows) }, timezone);
}

/** Prepares a tariff of the database, or one of its versions, for the lines that prices are made of. */
export function tariffPriceLines(tariff: StoredTariff, timezone: string): (stay: Stay) => PriceLine[] {
  return priceLinesBy({ ...tariff, windows: decodeJson(tariff.windows) }, timezone);
}
