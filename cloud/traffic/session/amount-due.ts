import type { Row } from '../../kernel/store/entry.js';
import type { PriceOfStay } from '../tariff/price-stay.js';
import { tariffPrice } from '../tariff/tariff-window-codec.js';

/** The facts from which the price of a session follows. */
export interface PricedSession {
  session: Pick<Row<'sessions'>, 'created_at' | 'discount_time'>;
  /** The tariff as it was when the session began. */
  version: Row<'tariff_versions'>;
  /** The time zone of the lot, an IANA name. */
  timezone: string;
}

/** Computes what a session costs if it ends at this time (wall milliseconds), in minor units, whatever was paid. */
export type SessionPrice = (priced: PricedSession, ended_ms: number) => number;

/** Prices many sessions and prepares each version once. */
export function createSessionPrice(): SessionPrice {
  const prices = new Map<string, PriceOfStay>();

  function priceOf(version: Row<'tariff_versions'>, timezone: string): PriceOfStay {
    const key = `${version.id} ${timezone}`;
    const kept = prices.get(key);
    if (kept !== undefined) return kept;
    const price = tariffPrice(version, timezone);
    prices.set(key, price);
    return price;
  }

  return ({ session, version, timezone }, ended_ms) =>
    priceOf(version, timezone)({ began_ms: session.created_at, ended_ms, discount_minutes: session.discount_time });
}

/** A session, with what prices it while it is open. */
export interface OwingSession {
  session: Pick<Row<'sessions'>, 'created_at' | 'ended_at' | 'discount_time' | 'price_minor' | 'amount_paid_minor'>;
  /** null: no tariff applies, or the session has ended and has its price. */
  version: Row<'tariff_versions'> | null;
  timezone: string;
}

/** Computes what is still to pay, in minor units; an open session is priced as if it ended `now`. */
export type AmountDue = (owing: OwingSession, now: number) => number;

/** Create one for each answer. */
export function createAmountDue(): AmountDue {
  const sessionPrice = createSessionPrice();

  function priceOf({ session, version, timezone }: OwingSession, now: number): number {
    if (session.ended_at !== null) return session.price_minor ?? 0;
    return version === null ? 0 : sessionPrice({ session, version, timezone }, now);
  }

  return (owing, now) => Math.max(0, priceOf(owing, now) - owing.session.amount_paid_minor);
}
