/** Payments as REST shows them. */
import { z } from '@hono/zod-openapi';
import { majorUnits } from '../../../shared/currencies.js';
import { datetime, id, iso } from '../../rest/field/answer-schemas.js';
import type { PaymentRow } from './session-detail-queries.js';

export const sessionPaymentSchema = z
  .strictObject({
    id,
    session_id: id,
    amount: z.number().openapi({ description: 'In the currency of the session; below 0 it is a refund' }),
    reference: z.string().nullable().describe('The number or text under which the payer finds the payment.'),
    created_by: id.nullable().openapi({ description: 'The account user; null for an API token' }),
    created_at: datetime,
  })
  .openapi('SessionPayment');

export type SessionPayment = z.infer<typeof sessionPaymentSchema>;

export function representSessionPayment(row: PaymentRow): SessionPayment {
  return {
    id: row.id,
    session_id: row.session_id,
    amount: majorUnits(row.amount_minor, row.currency),
    reference: row.reference,
    created_by: row.source_type === 'attendant' ? row.source_id : null,
    created_at: iso(row.created_at),
  };
}
