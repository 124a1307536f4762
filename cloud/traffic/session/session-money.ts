/** Judges the money that people and programs report for a session, or give away. */
import { currencyDigits, majorUnits, minorUnits } from '../../../shared/currencies.js';
import { ApiError, NO_PERMISSION, VALIDATION } from '../../../shared/errors.js';
import { type Caller, mayGiveMoney } from '../../kernel/auth/entry.js';
import type { Tx } from '../../kernel/store/entry.js';
import { nameOfCaller } from '../../site/entry.js';
import { createBillOf } from './session-bill.js';
import type { SessionDetails } from './session-detail-queries.js';

/** Free minutes as a request says them; undefined: not at all. */
export interface AskedGrant {
  /** Minutes; -1 unlimited; null none. */
  discount_time?: number | null | undefined;
  discount_reason?: string | null | undefined;
}

export interface AskedAmount {
  /** In the major unit of the session's currency; below 0 it is a refund. */
  amount: number;
  /** 1: it may be more than the stay costs. */
  overpays?: 0 | 1 | undefined;
}

/**
 * The columns of free minutes that are granted, changed or taken back; null: nothing is said of them.
 * @param before the session that has some; null: a new one
 * @throws ApiError NO_PERMISSION for who may not give money away, VALIDATION for a reason of no free minutes
 */
export async function grantedColumns(
  { tx, caller, now }: { tx: Tx; caller: Caller; now: number },
  asked: AskedGrant,
  before: Pick<SessionDetails['session'], 'discount_time' | 'discount_reason'> | null,
) {
  const { discount_time = before?.discount_time ?? null, discount_reason } = asked;
  if (asked.discount_time === undefined && discount_reason === undefined) return null;
  // A program may say of a new session that it has none.
  if (!mayGiveMoney(caller) && (before !== null || discount_time !== null)) throw new ApiError(NO_PERMISSION);
  const NONE = { discount_time: null, discount_reason: null, discount_granted_by: null, discount_granted_at: null };
  if (discount_time === null) {
    if (typeof discount_reason !== 'string') return NONE;
    throw new ApiError(VALIDATION, { field: 'discount_reason', message: 'There is no discount_time: send it, too' });
  }
  return {
    discount_time,
    // Without a new one, that of other minutes does not stay.
    discount_reason: discount_reason ?? null,
    discount_granted_by: await nameOfCaller(tx, caller),
    discount_granted_at: now,
  };
}

/**
 * The amount of a payment or refund in minor units.
 * @throws ApiError VALIDATION for one that has no such coins, gives back more than was paid, or overpays without saying so
 */
export function paidMinorUnits(details: SessionDetails, { amount, overpays }: AskedAmount, now: number): number {
  const { currency, amount_paid_minor } = details.session;
  const refused = (message: string) => new ApiError(VALIDATION, { field: 'amount', message });
  const digits = currency === null ? 2 : currencyDigits(currency);
  const money = (minor: number) =>
    `${majorUnits(minor, currency).toFixed(digits)}${currency === null ? '' : ` ${currency}`}`;
  const amount_minor = minorUnits(amount, currency);
  if (amount_minor === null) {
    throw refused(currency === null ? 'Must have at most 2 decimals' : `${currency} has ${digits} decimal digits`);
  }
  if (amount_minor === 0) throw refused('Must not be 0');
  if (amount_paid_minor + amount_minor < 0) throw refused(`Only ${money(amount_paid_minor)} was paid`);
  if (amount_minor < 0 || overpays === 1) return amount_minor;
  if (currency === null)
    throw refused('No tariff applies, so there is nothing to pay: to keep it, send overpays: true');
  const beyond = amount_paid_minor + amount_minor - createBillOf()(details, now).price_minor;
  if (beyond > 0) {
    throw refused(
      `This is ${money(Math.min(beyond, amount_minor))} more than the stay costs: to keep it, send overpays: true`,
    );
  }
  return amount_minor;
}
