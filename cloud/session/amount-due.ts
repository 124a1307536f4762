import { type PriceOfStay, priceStaysBy, type TariffWindow } from '../../shared/tariff/price-stay.js';
import type { Row } from '../store/schema.js';

/** What a session's price is made of. */
export interface PricedSession {
  session: Pick<Row<'sessions'>, 'created_at' | 'ended_at' | 'discount_time' | 'amount_paid_minor'>;
  /** null: none applies. */
  tariff: Row<'tariffs'> | null;
  /** The lot's. */
  timezone: string;
}

/** What is still to pay, in minor units; of an open session as if it ended `now`. */
export type AmountDue = (priced: PricedSession, now: number) => number;

/** Prices many sessions: each tariff is made ready once. To be used for one answer, because tariffs change. */
export function createAmountDue(): AmountDue {
  const prices = new Map<string, PriceOfStay>();

  function priceOf(tariff: Row<'tariffs'>, timezone: string): PriceOfStay {
    const key = `${tariff.id} ${timezone}`;
    const kept = prices.get(key);
    if (kept !== undefined) return kept;
    const price = tariffPrice(tariff, timezone);
    prices.set(key, price);
    return price;
  }

  return ({ session, tariff, timezone }, now) => {
    if (tariff === null) return 0;
    const price = priceOf(
      tariff,
      timezone,
    )({
      began_ms: session.created_at,
      ended_ms: session.ended_at ?? now,
      discount_minutes: session.discount_time,
    });
    return Math.max(0, price - session.amount_paid_minor);
  };
}

/** A tariff of the database, ready to price stays. */
export function tariffPrice(tariff: Row<'tariffs'>, timezone: string): PriceOfStay {
  return priceStaysBy({ ...tariff, windows: JSON.parse(tariff.windows) as TariffWindow[] }, timezone);
}
