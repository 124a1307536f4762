/** Deliveries of webhooks as receivers know them and REST shows them. */
import { type AnswerOf, representationOf } from '../../rest/entry.js';
import { WEBHOOK_DELIVERY_FIELDS } from './webhook-fields.js';
import type { WebhookDelivery } from './webhook-queries.js';

export const WEBHOOK_DELIVERY_ANSWER = representationOf('WebhookDelivery', WEBHOOK_DELIVERY_FIELDS);

/** Whether the delivery is of a sample and not of an event. */
export const isSample = ({ journal_id }: Pick<WebhookDelivery, 'journal_id'>): boolean => journal_id < 0;

/** The header `webhook-id`. It never changes for a delivery, so that a receiver recognises a repeat by it. */
export function messageIdOf(delivery: Pick<WebhookDelivery, 'id' | 'webhook_id' | 'journal_id'>): string {
  const { id, webhook_id, journal_id } = delivery;
  return isSample(delivery) ? `msg_${webhook_id}_sample_${id}` : `msg_${webhook_id}_${journal_id}`;
}

export const representDelivery = (row: WebhookDelivery): AnswerOf<typeof WEBHOOK_DELIVERY_FIELDS> =>
  WEBHOOK_DELIVERY_ANSWER.of(row, {
    webhook_id_header: messageIdOf(row),
    error: row.last_error,
    attempt: row.attempts,
  });
