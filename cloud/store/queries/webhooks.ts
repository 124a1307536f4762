/** Webhooks as REST shows and changes them. */
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';

export type Webhook = Row<'webhooks'>;
export type WebhookDelivery = Row<'webhook_deliveries'>;

export async function webhooksByIds(db: Db, ids: readonly number[]): Promise<Webhook[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

export async function countWebhooks(db: Db, account_id: number): Promise<number> {
  const { total } = await db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** It is told what happens from now on. */
export async function insertWebhook(tx: Db, row: Omit<NewRow<'webhooks'>, 'cursor'>): Promise<Webhook> {
  const cursor = await newestEvent(tx, row.account_id);
  return tx
    .insertInto('webhooks')
    .values({ ...row, cursor })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** It is told what happens from now on, and nothing of what happened meanwhile. */
export async function activateWebhook(tx: Db, webhook: Pick<Webhook, 'id' | 'account_id'>): Promise<void> {
  const cursor = await newestEvent(tx, webhook.account_id);
  await tx
    .updateTable('webhooks')
    .set({ is_active: 1, disabled_at: null, cursor })
    .where('id', '=', webhook.id)
    .execute();
}

/** Nothing is sent to it any more; what was on its way ends, with the reason. */
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

/** Begins new tries of a delivery, whether it has ended or not. The delivery, or null when it is gone. */
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
        // By its index; what ended before was made before.
        .where('created_at', '<', options.before)
        .where('ended_at', '<', options.before)
        .limit(options.limit),
    )
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}

/** The account's newest event in the journal; 0 when it has none. */
export async function newestEvent(db: Db, account_id: number): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('id').as('id'))
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  return row.id ?? 0;
}
