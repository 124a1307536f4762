import { decodeJson } from '../../shared/json-text-codec.js';
import { type PriceOfStay, priceStaysBy } from '../../shared/tariff/price-stay.js';
import type { Row } from '../store/schema.js';

/** What the price of a session depends on. */
export interface PricedSession {
  session: Pick<Row<'sessions'>, 'created_at' | 'ended_at' | 'discount_time' | 'amount_paid_minor'>;
  /** null: no tariff applies. */
  tariff: Row<'tariffs'> | null;
  /** The time zone of the lot, an IANA name. */
  timezone: string;
}

/** Computes what is still to pay, in minor units; an open session is priced as if it ended `now`. */
export type AmountDue = (priced: PricedSession, now: number) => number;

/** Prices many sessions and prepares each tariff once. Create one for each answer, because tariffs change. */
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

/** Prepares a tariff of the database for pricing stays. */
export function tariffPrice(tariff: Row<'tariffs'>, timezone: string): PriceOfStay {
  return priceStaysBy({ ...tariff, windows: decodeJson(tariff.windows) }, timezone);
}
