import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import type { Secrets } from '../../secrets/secrets.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { noteAudit } from '../../store/audit-scope.js';
import { WEBHOOK_DELIVERY_LIST, WEBHOOK_LIST } from '../../store/lists/webhook-lists.js';
import { updateRow } from '../../store/queries/rows.js';
import { makeDeliveries } from '../../store/queries/webhook-turn.js';
import {
  activateWebhook,
  countWebhooks,
  deactivateWebhook,
  insertWebhook,
  redeliver,
  type Webhook,
  type WebhookDelivery,
} from '../../store/queries/webhooks.js';
import { makeWebhookSecret } from '../../webhook/signature.js';
import type { WebhookDispatcher } from '../../webhook/webhook-dispatcher.js';
import { WEBHOOK_URL_CHARS_MAX, webhookUrlProblem } from '../../webhook/webhook-url.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { flagField } from '../fields.js';
import { listEndpoint } from '../list-endpoint.js';
import { existingEndpoints, MANAGERS, type ResourceDeps } from '../resource-endpoints.js';

export interface WebhookDeps extends Pick<ResourceDeps, 'store' | 'clock'> {
  secrets: Pick<Secrets, 'seal'>;
  webhooks: Pick<WebhookDispatcher, 'changed'>;
  /** WEBHOOK_ALLOW_PRIVATE */
  webhookAllowPrivate: boolean;
}

const TAG = 'Webhooks';
const WEBHOOKS_MAX = 100;
const EVENT_NAMES = Object.keys(EVENT_SCHEMAS) as [EventName, ...EventName[]];

const datetime = z.iso.datetime({ precision: 3 });
const webhookSchema = z
  .strictObject({
    id: z.number().int(),
    url: z.string(),
    events: z.array(z.enum(EVENT_NAMES)),
    is_active: z.union([z.literal(0), z.literal(1)]),
    /** HTTP status of the last attempt; null when there was none, or no answer. */
    last_status: z.number().int().nullable(),
    disabled_at: datetime.nullable(),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('Webhook');
/** Null when the call is told again (Idempotency-Key). */
const webhookWithSecretSchema = webhookSchema.extend({ secret: z.string().nullable() }).openapi('WebhookWithSecret');

const deliverySchema = z
  .strictObject({
    id: z.number().int(),
    webhook_id: z.number().int(),
    event: z.enum(EVENT_NAMES),
    /** HTTP status of the last attempt; null when it got no answer. */
    status_code: z.number().int().nullable(),
    /** Why the last attempt failed; null when it was acknowledged. */
    error: z.string().nullable(),
    /** Attempts so far. */
    attempt: z.number().int(),
    created_at: datetime,
  })
  .openapi('WebhookDelivery');

/** /v2/webhooks with their deliveries. The secret is shown once, by the call that makes the webhook. */
export function webhookEndpoints(deps: WebhookDeps): Endpoint[] {
  const { store, clock, webhooks } = deps;
  const fields = {
    url: z
      .string()
      .max(WEBHOOK_URL_CHARS_MAX)
      .superRefine((url, context) => {
        const problem = webhookUrlProblem(url, { allowPrivate: deps.webhookAllowPrivate });
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      }),
    /** Each once. */
    events: z.array(z.enum(EVENT_NAMES)).min(1).max(1_000),
    is_active: flagField,
  };
  const findOne = (caller: Parameters<typeof visibleRow>[2]['caller'], id: number) =>
    visibleRow(store.reader, WEBHOOK_LIST, { caller, id });
  return [
    ...existingEndpoints(
      { store, clock, configChanged: webhooks.changed },
      {
        path: '/v2/webhooks',
        one: 'a webhook',
        many: 'webhooks',
        tag: TAG,
        table: WEBHOOK_LIST,
        item: webhookSchema,
        items: (rows) => rows.map(webhookRecord),
        changeBody: z.strictObject(fields).partial(),
        async update(tx, { row, body, now }) {
          const { url, events, is_active } = body;
          // What happened until now goes by what it wanted until now.
          if (events !== undefined && row.is_active === 1) {
            await makeDeliveries(tx, row, { now, limit: Number.MAX_SAFE_INTEGER });
          }
          await updateRow(tx, 'webhooks', {
            id: row.id,
            set: { url, events: events === undefined ? undefined : eventsColumn(events), updated_at: now },
          });
          if (is_active === 1 && row.is_active === 0) await activateWebhook(tx, row);
          if (is_active === 0 && row.is_active === 1) {
            await deactivateWebhook(tx, { id: row.id, now, reason: 'The webhook was switched off' });
          }
        },
        managed: 'webhooks',
        // It is of no lot; who sends webhooks has to know.
        lots: () => [null],
      },
    ),
    protectedEndpoint({
      method: 'post',
      path: '/v2/webhooks',
      summary: 'Create a webhook; its signing secret is shown only here',
      tag: TAG,
      roles: MANAGERS,
      body: z.strictObject({
        ...fields,
        events: fields.events.default(EVENT_NAMES),
        is_active: fields.is_active.default(1),
      }),
      answer: webhookWithSecretSchema,
      shownOnce: ['secret'],
      async handle({ caller: { account_id }, body }) {
        const now = clock.now();
        const secret = makeWebhookSecret();
        const row = await store.change(async (tx) => {
          if ((await countWebhooks(tx, account_id)) >= WEBHOOKS_MAX) {
            throw new ApiError(23, { field: 'url', message: `An account has ${WEBHOOKS_MAX} webhooks at most` });
          }
          const made = await insertWebhook(tx, {
            account_id,
            url: body.url,
            events: eventsColumn(body.events),
            is_active: body.is_active,
            last_status: null,
            disabled_at: body.is_active === 1 ? null : now,
            secret_sealed: deps.secrets.seal('webhook_secret', secret),
            created_at: now,
            updated_at: now,
          });
          noteAudit({ made: made.id });
          return made;
        });
        webhooks.changed();
        return { ...webhookRecord(row), secret };
      },
    }),
    listEndpoint({
      path: '/v2/webhooks/{id}/deliveries',
      summary: 'List the deliveries of a webhook',
      tag: TAG,
      store,
      clock,
      table: WEBHOOK_DELIVERY_LIST,
      item: deliverySchema,
      items: (rows) => rows.map(deliveryRecord),
      find: ({ caller, ids }) => findOne(caller, ids.id),
      within: ({ id }) => [{ field: 'webhook_id', rule: 'eq', values: [id] }],
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      summary: 'Send a delivery again, with the same webhook-id',
      tag: TAG,
      roles: MANAGERS,
      answer: deliverySchema,
      async find({ caller, ids }) {
        const webhook = await findOne(caller, ids.id);
        const delivery = await visibleRow(store.reader, WEBHOOK_DELIVERY_LIST, { caller, id: ids.deliveryId });
        return webhook === null || delivery?.webhook_id !== webhook.id ? null : { webhook, delivery };
      },
      async handle({ found: { webhook, delivery } }) {
        if (webhook.is_active === 0) {
          throw new ApiError(23, { field: 'is_active', message: 'The webhook is switched off: switch it on first' });
        }
        const row = await store.change((tx) => redeliver(tx, delivery.id, clock.now()));
        if (row === null) throw new ApiError(6);
        webhooks.changed();
        return deliveryRecord(row);
      },
    }),
  ];
}

const eventsColumn = (events: readonly EventName[]): string => JSON.stringify([...new Set(events)]);

const iso = (ms: number): string => new Date(ms).toISOString();

function webhookRecord(row: Webhook): z.infer<typeof webhookSchema> {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as EventName[],
    is_active: row.is_active === 1 ? 1 : 0,
    last_status: row.last_status,
    disabled_at: row.disabled_at === null ? null : iso(row.disabled_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

function deliveryRecord(row: WebhookDelivery): z.infer<typeof deliverySchema> {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event as EventName,
    status_code: row.status_code,
    error: row.error,
    attempt: row.attempt,
    created_at: iso(row.created_at),
  };
}
