/** /v2/webhooks with their deliveries. Only the call that creates a webhook shows its secret. */
import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  type Endpoint,
  isRestResource,
  listEndpoint,
  MANAGERS,
  newBody,
  protectedEndpoint,
  type Resource,
  type ResourceDeps,
  resourceEndpoints,
  type ValuesOf,
  visibleRow,
  writableRow,
} from '../../rest/entry.js';
import { insertWebhookLots, ownerOfWebhook } from './webhook-lot-queries.js';
import { generateWebhookSecret } from './signature.js';
import { WEBHOOK_DELIVERY_LIST, WEBHOOK_LIST } from './webhook-lists.js';
import { EVENT_NAMES, eventsColumn, type WEBHOOK_FIELDS } from './webhook-fields.js';
import { representDelivery, WEBHOOK_DELIVERY_ANSWER } from './webhook-delivery.js';
import { awaitDelivery } from './await-delivery.js';
import { sampleEvent } from './sample-events.js';
import { countWebhooks, insertSample, insertWebhook, redeliver, rotateSecret } from './webhook-queries.js';
import { WEBHOOK_ANSWER, webhookResource } from './webhook-resource.js';

const TAG = 'Webhooks';
const WEBHOOKS_MAX = 100;
/** How long deliveries are signed with the former secret too, so that receivers have time to change theirs. */
const FORMER_SECRET_MS = 24 * 3_600_000;

const TO_ANY_NETWORK = webhookResource({ allowPrivate: true });
const TO_PUBLIC_NETWORKS = webhookResource({ allowPrivate: false });

/** The only answer that shows the secret; null when the answer is repeated. */
const webhookWithSecretSchema = z
  .strictObject({
    ...WEBHOOK_ANSWER.schema.shape,
    secret: z
      .string()
      .nullable()
      .describe('The secret that signs the calls. It is shown once; null when an answer is repeated.'),
  })
  .openapi('WebhookWithSecret');
const sampleBody = z.strictObject({ event: z.enum(EVENT_NAMES) });

/** @param deps.webhookAllowPrivate WEBHOOK_ALLOW_PRIVATE */
export function webhookEndpoints(deps: ResourceDeps & { webhookAllowPrivate: boolean }): Endpoint[] {
  const resource = deps.webhookAllowPrivate ? TO_ANY_NETWORK : TO_PUBLIC_NETWORKS;
  return [
    ...[resource as Resource].filter(isRestResource).flatMap((each) => resourceEndpoints(deps, each)),
    ...secretEndpoints(deps, newBody(resource as Resource) as z.ZodType<ValuesOf<typeof WEBHOOK_FIELDS>>),
    ...deliveryEndpoints(deps),
  ];
}

const findToWrite = ({ store }: ResourceDeps, caller: Caller, id: number) =>
  writableRow(store.reader, WEBHOOK_LIST, { caller, id });

/** The endpoints whose answers show a secret, once. */
function secretEndpoints(deps: ResourceDeps, body: z.ZodType<ValuesOf<typeof WEBHOOK_FIELDS>>): Endpoint[] {
  const { clock, services } = deps;
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/webhooks',
      summary: 'Create a webhook; its signing secret is shown only here',
      tag: TAG,
      roles: MANAGERS,
      body,
      answer: webhookWithSecretSchema,
      shownOnce: ['secret'],
      async handle({ caller, body: { url, events, is_active }, change }) {
        const { account_id } = caller;
        const { account_user_id, lot_ids } = ownerOfWebhook(caller);
        const now = clock.now();
        const secret = generateWebhookSecret();
        const row = await change(async (tx) => {
          if ((await countWebhooks(tx, account_id)) >= WEBHOOKS_MAX) {
            throw new ApiError(VALIDATION, {
              field: 'url',
              message: `An account has ${WEBHOOKS_MAX} webhooks at most`,
            });
          }
          const made = await insertWebhook(tx, {
            account_id,
            account_user_id,
            has_own_lots: lot_ids === null ? 0 : 1,
            url,
            events: eventsColumn(events),
            is_active,
            last_status: null,
            disabled_at: is_active === 1 ? null : now,
            secret_sealed: deps.secrets.seal('webhook_secret', secret),
            created_at: now,
            updated_at: now,
          });
          await insertWebhookLots(tx, made, lot_ids ?? []);
          noteAudit(tx, { made: made.id });
          tx.onCommit(() => services.webhooksChanged());
          return made;
        });
        return { ...WEBHOOK_ANSWER.of(row), secret };
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/webhooks/{id}/rotate-secret',
      summary: 'Give a webhook a new signing secret, shown only here; the former one signs too for 24 h',
      tag: TAG,
      roles: MANAGERS,
      answer: webhookWithSecretSchema,
      shownOnce: ['secret'],
      find: ({ caller, ids }) => findToWrite(deps, caller, ids.id),
      async handle({ found: { id, account_id }, change }) {
        const now = clock.now();
        const secret = generateWebhookSecret();
        const secret_sealed = deps.secrets.seal('webhook_secret', secret);
        const row = await change(async (tx) => {
          const rotated = { id, account_id, secret_sealed, formerUntil: now + FORMER_SECRET_MS, now };
          return (await rotateSecret(tx, rotated)) ?? gone();
        });
        return { ...WEBHOOK_ANSWER.of(row), secret };
      },
    }),
  ];
}

/** What a receiver was sent. */
function deliveryEndpoints(deps: ResourceDeps): Endpoint[] {
  const { store, clock, services } = deps;
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/webhooks/{id}/test',
      summary: 'Send a sample of an event, once, and answer what came of it',
      tag: TAG,
      roles: MANAGERS,
      body: sampleBody,
      answer: WEBHOOK_DELIVERY_ANSWER.schema,
      find: ({ caller, ids }) => findToWrite(deps, caller, ids.id),
      async handle({ found, body: { event }, change }) {
        const now = clock.now();
        const id = await change(async (tx) => {
          tx.onCommit(() => services.webhooksChanged());
          const made = await insertSample(tx, { webhook_id: found.id, event, payload: sampleEvent(event, now), now });
          if (made === null) throw switchedOff();
          return made;
        });
        const delivery = await awaitDelivery({ store, clock }, id);
        if (delivery === undefined) throw new ApiError(NOT_FOUND);
        return representDelivery(delivery);
      },
    }),
    listEndpoint({
      path: '/v2/webhooks/{id}/deliveries',
      summary: 'List the deliveries of a webhook',
      tag: TAG,
      store,
      clock,
      table: WEBHOOK_DELIVERY_LIST,
      item: WEBHOOK_DELIVERY_ANSWER.schema,
      items: (rows) => rows.map(representDelivery),
      find: ({ caller, ids }) => visibleRow(store.reader, WEBHOOK_LIST, { caller, id: ids.id }),
      within: ({ id }) => [{ field: 'webhook_id', rule: 'eq', values: [id] }],
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      summary: 'Send a delivery again, with the same webhook-id',
      tag: TAG,
      roles: MANAGERS,
      answer: WEBHOOK_DELIVERY_ANSWER.schema,
      async find({ caller, ids }) {
        const webhook = await findToWrite(deps, caller, ids.id);
        const delivery = await visibleRow(store.reader, WEBHOOK_DELIVERY_LIST, { caller, id: ids.deliveryId });
        return webhook === null || delivery?.webhook_id !== webhook.id ? null : { webhook, delivery };
      },
      async handle({ found: { webhook, delivery }, change }) {
        if (webhook.is_active === 0) throw switchedOff();
        const row = await change(async (tx) => {
          tx.onCommit(() => services.webhooksChanged());
          return (await redeliver(tx, delivery.id, clock.now())) ?? gone();
        });
        return representDelivery(row);
      },
    }),
  ];
}

function gone(): never {
  throw new ApiError(NOT_FOUND);
}

const switchedOff = () =>
  new ApiError(VALIDATION, { field: 'is_active', message: 'The webhook is switched off: switch it on first' });
