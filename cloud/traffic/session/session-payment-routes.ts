import type { Clock } from '../../../shared/clock.js';
import { type Endpoint, integerField, listEndpoint, listTable, textField, visibleTo } from '../../rest/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { findSessionDetails, sessionPaymentsByIds } from './session-detail-queries.js';
import { representSessionPayment, sessionPaymentSchema } from './session-payment-payload.js';

const SESSION_PAYMENT_LIST = listTable({
  from: 'session_payments',
  id: 'session_payments.id',
  // Payments never change.
  changedAt: 'session_payments.created_at',
  scope: { account_id: 'session_payments.account_id', lot_id: 'session_payments.lot_id' },
  filters: {
    session_id: integerField('session_payments.session_id'),
    reference: textField('session_payments.reference'),
  },
  sorts: { created_at: 'session_payments.created_at' },
  rows: sessionPaymentsByIds,
});

/** GET /v2/sessions/{id}/payments */
export function sessionPaymentEndpoint({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint {
  return listEndpoint({
    path: '/v2/sessions/{id}/payments',
    summary: 'List the payments and refunds of a session',
    tag: 'Sessions',
    store,
    clock,
    table: SESSION_PAYMENT_LIST,
    item: sessionPaymentSchema,
    items: (rows) => rows.map(representSessionPayment),
    find: async ({ caller, ids }) => visibleTo(caller, await findSessionDetails(store.reader, ids.id)),
    within: (session) => [{ field: 'session_id', rule: 'eq', values: [session.id] }],
  });
}
