/** Reads the single payments for sessions. */
import type { Db, Row } from '../../kernel/entry.js';

export type PaymentRow = Row<'session_payments'> & { currency: string | null };

/** Payments with the currency of their sessions, which never changes once something was paid. */
export const sessionPaymentsByIds = (db: Db, ids: readonly number[]): Promise<PaymentRow[]> =>
  db
    .selectFrom('session_payments')
    .innerJoin('sessions', 'sessions.id', 'session_payments.session_id')
    .selectAll('session_payments')
    .select('sessions.currency')
    .where('session_payments.id', 'in', ids)
    .execute();
