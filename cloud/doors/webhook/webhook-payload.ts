/** Webhooks and their deliveries as REST shows them. */
import { z } from '@hono/zod-openapi';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { isoTime } from '../../rest/field/iso-time-codec.js';
import type { Webhook, WebhookDelivery } from './webhook-queries.js';

export const EVENT_NAMES = Object.keys(EVENT_SCHEMAS) as [EventName, ...EventName[]];

const datetime = z.iso.datetime({ precision: 3 });
export const webhookSchema = z
  .strictObject({
    id: z.number().int(),
    url: z
      .string()
      .nullable()
      .describe(
        'The address to which events are posted; null for Attendants and for Admins who lack a lot of the webhook, because an address may hold a secret.',
      ),
    events: z.array(z.enum(EVENT_NAMES)).describe('The names of the events that are sent.'),
    is_active: z.union([z.literal(0), z.literal(1)]).describe('Whether it is switched on: 1 or 0.'),
    last_status: z
      .number()
      .int()
      .nullable()
      .describe('The HTTP status of the last call; null before the first, or when nobody answered.'),
    disabled_at: datetime
      .nullable()
      .describe('When it was switched off because its receiver answered 410; null while it was not.'),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('Webhook');
/** The only answer that shows the secret; null when the answer is repeated. */
export const webhookWithSecretSchema = z
  .strictObject({
    ...webhookSchema.shape,
    secret: z
      .string()
      .nullable()
      .describe('The secret that signs the calls. It is shown once; null when an answer is repeated.'),
  })
  .openapi('WebhookWithSecret');

export const deliverySchema = z
  .strictObject({
    id: z.number().int(),
    webhook_id: z.number().int().describe('The webhook.'),
    webhook_id_header: z.string().describe('The header `webhook-id` of its requests: the same in every attempt.'),
    event: z.enum(EVENT_NAMES),
    status_code: z.number().int().nullable().describe('The HTTP status of the last try; null when nobody answered.'),
    error: z.string().nullable().describe('Why the last try failed; null when it did not.'),
    attempt: z.number().int().describe('How often the delivery was tried.'),
    created_at: datetime,
  })
  .openapi('WebhookDelivery');

/** @param isUrlShown its path may hold a secret, by which others could send what looks like events to its receiver */
export function representWebhook(row: Webhook, { isUrlShown }: { isUrlShown: boolean }): z.infer<typeof webhookSchema> {
  return {
    id: row.id,
    url: isUrlShown ? row.url : null,
    events: decodeJson(row.events),
    is_active: row.is_active === 1 ? 1 : 0,
    last_status: row.last_status,
    disabled_at: row.disabled_at === null ? null : isoTime(row.disabled_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Whether the delivery is of a sample and not of an event. */
export const isSample = ({ journal_id }: Pick<WebhookDelivery, 'journal_id'>): boolean => journal_id < 0;

/** The header `webhook-id`. It never changes for a delivery, so that a receiver recognises a repeat by it. */
export function messageIdOf(delivery: Pick<WebhookDelivery, 'id' | 'webhook_id' | 'journal_id'>): string {
  const { id, webhook_id, journal_id } = delivery;
  return isSample(delivery) ? `msg_${webhook_id}_sample_${id}` : `msg_${webhook_id}_${journal_id}`;
}

export function representDelivery(row: WebhookDelivery): z.infer<typeof deliverySchema> {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    webhook_id_header: messageIdOf(row),
    event: row.event,
    status_code: row.status_code,
    error: row.last_error,
    attempt: row.attempts,
    created_at: isoTime(row.created_at),
  };
}
