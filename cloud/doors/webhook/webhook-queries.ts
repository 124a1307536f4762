/** Reads and writes webhooks for REST. */
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { type Db, journalHeadOf, LOCKS, type NewRow, type Row, type Tx } from '../../kernel/store/entry.js';
import { endedBecause } from '../../kernel/delivery/entry.js';

/** The lot id of samples: they do not wait for events of a lot, and no event waits for them. */
const NO_LOT = 0;

export type Webhook = Row<'webhooks'>;
export type WebhookDelivery = Row<'webhook_deliveries'>;

/** The tables of the list of deliveries. */
export const deliveriesWithWebhooks = (db: Db) =>
  db.selectFrom('webhook_deliveries').innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id');

export async function webhooksByIds(db: Db, ids: readonly number[]): Promise<Webhook[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

/** Counts the webhooks of an account, in the transaction that inserts one more. */
export async function countWebhooks(tx: Tx, account_id: number): Promise<number> {
  await tx.lock(LOCKS.webhooks(account_id));
  const { total } = await tx
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Inserts a webhook, to which events from now on are sent. */
export async function insertWebhook(tx: Db, row: Omit<NewRow<'webhooks'>, 'cursor'>): Promise<Webhook> {
  const cursor = await journalHeadOf(tx, row.account_id);
  return tx
    .insertInto('webhooks')
    .values({ ...row, cursor })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Activates a webhook. Events from now on are sent to it, and none from the time when it was not active. */
export async function activateWebhook(tx: Db, webhook: Pick<Webhook, 'id' | 'account_id'>): Promise<void> {
  const cursor = await journalHeadOf(tx, webhook.account_id);
  await tx
    .updateTable('webhooks')
    .set({ is_active: 1, disabled_at: null, cursor })
    .where('id', '=', webhook.id)
    .execute();
}

/** Deactivates a webhook. Its deliveries end with the reason, and nothing more is sent to it. */
export async function deactivateWebhook(tx: Db, webhook: { id: number; now: number; reason: string }): Promise<void> {
  const { id, now, reason } = webhook;
  await tx.updateTable('webhooks').set({ is_active: 0, disabled_at: now }).where('id', '=', id).execute();
  await tx
    .updateTable('webhook_deliveries')
    .set(endedBecause(reason, now))
    .where('webhook_id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** How many former secrets sign beside the present one: it bounds the signature header however often a secret is changed. */
const FORMER_SECRETS_MAX = 8;

/**
 * Gives the webhook a new secret. Until `formerUntil`, deliveries are signed with the present one too.
 * @returns null when the webhook is gone
 */
export async function rotateSecret(
  tx: Tx,
  webhook: { id: number; account_id: number; secret_sealed: string; formerUntil: number; now: number },
): Promise<Webhook | null> {
  const { id, secret_sealed, now } = webhook;
  await tx.lock(LOCKS.webhooks(webhook.account_id));
  const [before] = await webhooksByIds(tx, [id]);
  if (before === undefined) return null;
  const former = { webhook_id: id, secret_sealed: before.secret_sealed, valid_until: webhook.formerUntil };
  await tx.insertInto('former_webhook_secrets').values(former).execute();
  await tx
    .deleteFrom('former_webhook_secrets')
    .where('webhook_id', '=', id)
    .where('id', 'not in', ({ selectFrom }) =>
      selectFrom('former_webhook_secrets')
        .select('id')
        .where('webhook_id', '=', id)
        .orderBy('id', 'desc')
        .limit(FORMER_SECRETS_MAX),
    )
    .execute();
  const [after] = await tx
    .updateTable('webhooks')
    .set({ secret_sealed, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .execute();
  return after ?? null;
}

/** Deletes former secrets that are no longer used to sign. */
export async function pruneFormerSecrets(tx: Db, now: number): Promise<void> {
  await tx.deleteFrom('former_webhook_secrets').where('valid_until', '<=', now).execute();
}

/** Inserts a delivery of a sample, which is due at once. @returns its id; null when the webhook is gone or switched off */
export async function insertSample(
  tx: Tx,
  sample: { webhook_id: number; event: EventName; payload: EventPayload<EventName>; now: number },
): Promise<number | null> {
  const { webhook_id, event, payload, now } = sample;
  await tx.lock(LOCKS.deliveries('webhook_deliveries'));
  const [webhook] = await webhooksByIds(tx, [webhook_id]);
  if (webhook?.is_active !== 1) return null;
  const { id } = await tx
    .insertInto('webhook_deliveries')
    .values({
      webhook_id,
      journal_id: 0,
      lot_id: NO_LOT,
      event,
      payload: encodeJson(payload),
      occurred_at: now,
      status_code: null,
      last_error: null,
      attempts: 0,
      tries_began_at: now,
      next_attempt_at: now,
      lease_ends_at: null,
      ended_at: null,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.updateTable('webhook_deliveries').set({ journal_id: -id }).where('id', '=', id).execute();
  return id;
}

export async function deliveriesByIds(db: Db, ids: readonly number[]): Promise<WebhookDelivery[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

/** Begins new attempts at a delivery, whether it has ended or not. @returns the delivery; null when it is gone */
export async function redeliver(tx: Db, id: number, now: number): Promise<WebhookDelivery | null> {
  const row = await tx
    .updateTable('webhook_deliveries')
    .set({ tries_began_at: now, next_attempt_at: now, ended_at: null })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}
