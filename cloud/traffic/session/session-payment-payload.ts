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
    reason: z.string().nullable().describe('Why it was paid or given back.'),
    created_by: id.nullable().openapi({ description: 'The account user; null for an API token' }),
    created_by_name: z
      .string()
      .nullable()
      .describe('The name of that user, or of the API token, as it was then; null where it was not kept.'),
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
    reason: row.reason,
    created_by: row.source_type === 'attendant' ? row.source_id : null,
    created_by_name: row.created_by_name,
    created_at: iso(row.created_at),
  };
}
