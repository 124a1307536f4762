/** Reads and writes webhooks for REST. */
import type { Db, Tx } from '../store/cloud-store.js';
import { journalHeadOf } from '../store/journal-queries.js';
import { LOCKS } from '../store/locks.js';
import type { NewRow, Row } from '../store/schema.js';

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
    .set({ ended_at: now, lease_ends_at: null, error: reason })
    .where('webhook_id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
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

/** Deletes at most `limit` deliveries that ended before `before`, and returns how many. */
export async function pruneDeliveries(tx: Db, options: { before: number; limit: number }): Promise<number> {
  const result = await tx
    .deleteFrom('webhook_deliveries')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('webhook_deliveries')
        .select('id')
        // This condition uses an index: a delivery that ended before was created before.
        .where('created_at', '<', options.before)
        .where('ended_at', '<', options.before)
        .limit(options.limit),
    )
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
