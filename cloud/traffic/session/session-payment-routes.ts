import type { Clock } from '../../../shared/clock.js';
import { type Endpoint, listEndpoint, visibleTo } from '../../rest/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { findSessionDetails } from './session-detail-queries.js';
import { SESSION_PAYMENT_LIST } from './session-payment-list.js';
import { representSessionPayment, sessionPaymentSchema } from './session-payment-payload.js';

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
