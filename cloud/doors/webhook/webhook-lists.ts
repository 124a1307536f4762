/** GET /v2/webhooks, GET /v2/webhooks/{id}/deliveries. */
import { LOTS_OF_WEBHOOK } from './webhook-lot-queries.js';
import { deliveriesByIds, deliveriesWithWebhooks, webhooksByIds } from './webhook-queries.js';
import { integerField, listTable } from '../../rest/entry.js';
import { WEBHOOK_DELIVERY_FIELDS } from './webhook-fields.js';

export const WEBHOOK_LIST = listTable({
  from: 'webhooks',
  id: 'webhooks.id',
  scope: { account_id: 'webhooks.account_id' },
  actsOn: LOTS_OF_WEBHOOK,
  // A webhook that an API token made hears all that the token hears, which may be more than the token may read.
  actsAsHeard: true,
  filters: { account_id: integerField('webhooks.account_id') },
  rows: webhooksByIds,
});

export const WEBHOOK_DELIVERY_LIST = listTable({
  from: deliveriesWithWebhooks,
  id: 'webhook_deliveries.id',
  // The table does not keep the time of the last attempt.
  changedAt: 'webhook_deliveries.created_at',
  scope: { account_id: 'webhooks.account_id' },
  fields: WEBHOOK_DELIVERY_FIELDS,
  rows: deliveriesByIds,
});
