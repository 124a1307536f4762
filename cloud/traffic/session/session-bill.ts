import { type JsonText, decodeJson } from '../../../shared/json-text-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import type { PriceLine } from '../tariff/price-lines.js';
import type { Stay } from '../tariff/price-stay.js';
import { tariffPriceLines } from '../tariff/tariff-window-codec.js';
import { lineText } from '../tariff/price-line-text.js';

/** The facts from which the price of a session follows. */
export interface PricedSession {
  session: Pick<Row<'sessions'>, 'created_at' | 'discount_time'>;
  /** The tariff as it was when the session began. */
  version: Row<'tariff_versions'>;
  /** The time zone of the lot, an IANA name. */
  timezone: string;
}

/** The price of a session, whatever was paid. */
export interface Charge {
  /** Minor units. */
  price_minor: number;
  /** They sum up to it. */
  lines: readonly PriceLine[];
}

/** Computes what a session costs if it ends at this time (wall milliseconds). */
export type SessionCharge = (priced: PricedSession, ended_ms: number) => Charge;

/** Prices many sessions and prepares each version once. */
export function createSessionCharge(): SessionCharge {
  const prepared = new Map<string, (stay: Stay) => PriceLine[]>();

  function linesOf(version: Row<'tariff_versions'>, timezone: string): (stay: Stay) => PriceLine[] {
    const key = `${version.id} ${timezone}`;
    const kept = prepared.get(key);
    if (kept !== undefined) return kept;
    const lines = tariffPriceLines(version, timezone);
    prepared.set(key, lines);
    return lines;
  }

  return ({ session, version, timezone }, ended_ms) => {
    const stay = { began_ms: session.created_at, ended_ms, discount_minutes: session.discount_time };
    const lines = linesOf(version, timezone)(stay);
    return { lines, price_minor: lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0) };
  };
}

/** A session, with what prices it while it is open. */
export interface OwingSession {
  session: Pick<
    Row<'sessions'>,
    'created_at' | 'ended_at' | 'discount_time' | 'price_minor' | 'price_lines' | 'amount_paid_minor'
  >;
  /** null: no tariff applies. */
  version: Row<'tariff_versions'> | null;
  timezone: string;
}

/** The price of a session now, beside what was paid. All in minor units. */
export interface Bill extends Charge {
  due_minor: number;
  overpaid_minor: number;
}

/** Computes the bill of a session; an open one is priced as if it ended `now`. */
export type BillOf = (owing: OwingSession, now: number) => Bill;

/** Create one for each answer. */
export function createBillOf(): BillOf {
  const chargeOf = createSessionCharge();

  function charge({ session, version, timezone }: OwingSession, now: number): Charge {
    const { ended_at } = session;
    if (ended_at !== null) return settledCharge({ ...session, ended_at });
    return version === null ? NOTHING : chargeOf({ session, version, timezone }, now);
  }

  return (owing, now) => {
    const charged = charge(owing, now);
    const rest_minor = charged.price_minor - owing.session.amount_paid_minor;
    return { ...charged, due_minor: Math.max(0, rest_minor), overpaid_minor: Math.max(0, -rest_minor) };
  };
}

const NOTHING: Charge = { price_minor: 0, lines: [] };

/** Of an ended session: as it was when it ended. */
function settledCharge(session: OwingSession['session'] & { ended_at: number }): Charge {
  const { created_at, ended_at, price_minor, price_lines } = session;
  if (price_minor === null) return NOTHING;
  if (price_lines !== null) return { price_minor, lines: decodePriceLines(price_lines) };
  const whole = { from_ms: created_at, to_ms: ended_at, amount_minor: price_minor, text: lineText({ kind: 'whole' }) };
  return { price_minor, lines: [whole] };
}

/** Lines as they are stored with an ended session: beginning, end, amount and text of each. */
export type StoredPriceLines = [from_ms: number, to_ms: number, amount_minor: number, text: string][];

export const storedPriceLines = (lines: readonly PriceLine[]): StoredPriceLines =>
  lines.map(({ from_ms, to_ms, amount_minor, text }) => [from_ms, to_ms, amount_minor, text]);

const decodePriceLines = (text: JsonText<StoredPriceLines>): PriceLine[] =>
  decodeJson(text).map(([from_ms, to_ms, amount_minor, said]) => ({ from_ms, to_ms, amount_minor, text: said }));
