import { isSample, type WebhookDelivery } from './webhook-queries.js';

/** The header `webhook-id`. It never changes for a delivery, so that a receiver recognises a repeat by it. */
export function messageIdOf(delivery: Pick<WebhookDelivery, 'id' | 'webhook_id' | 'journal_id'>): string {
  const { id, webhook_id, journal_id } = delivery;
  return isSample(delivery) ? `msg_${webhook_id}_sample_${id}` : `msg_${webhook_id}_${journal_id}`;
}
