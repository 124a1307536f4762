/** GET /v2/sessions/{id}/payments, and the export of payments. */
import { integerField, listTable, textField } from '../../rest/entry.js';
import { sessionPaymentsByIds } from './session-detail-queries.js';

export const SESSION_PAYMENT_LIST = listTable({
  from: 'session_payments',
  id: 'session_payments.id',
  // Payments never change.
  changedAt: 'session_payments.created_at',
  scope: { account_id: 'session_payments.account_id', lot_id: 'session_payments.lot_id' },
  filters: {
    session_id: integerField('session_payments.session_id'),
    lot_id: integerField('session_payments.lot_id'),
    reference: textField('session_payments.reference'),
  },
  sorts: { created_at: 'session_payments.created_at' },
  rows: sessionPaymentsByIds,
});
