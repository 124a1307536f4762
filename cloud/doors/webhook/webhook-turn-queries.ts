/** The database work of one turn of the webhook dispatcher: it records outcomes, inserts new deliveries, and leases due ones. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import { groupBy } from '../../../shared/grouping.js';
import { type Db, journalHeadOf, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { type DeliveryAnswer, type DeliveryOutcome, leaseDeliveries } from '../../kernel/delivery/entry.js';
import { hearsOfLot } from './webhook-lot-queries.js';
import { deactivateWebhook, type Webhook, type WebhookDelivery } from './webhook-queries.js';

/** Records the status of an attempt at its webhook, which a final refusal switches off. */
export async function recordStatus(
  tx: Db,
  { item, answer }: DeliveryOutcome<DueDelivery, ReceiverAnswer>,
  now: number,
): Promise<void> {
  const { id, url } = item.target;
  const webhook = await tx
    .updateTable('webhooks')
    .set({ last_status: answer.statusCode })
    .where('id', '=', id)
    .returning('url')
    .executeTakeFirst();
  const reason = 'The webhook was switched off: its receiver is gone';
  // If the webhook has another address by now, the attempt says nothing about that address.
  if (answer.end === 'refused' && webhook?.url === url) await deactivateWebhook(tx, { id, now, reason });
}

/** Lists active webhooks, of all accounts (null) or of these. */
export async function activeWebhooks(
  db: Db,
  accounts: readonly number[] | null,
): Promise<Pick<Webhook, 'id' | 'account_id' | 'events' | 'cursor'>[]> {
  let query = db.selectFrom('webhooks').select(['id', 'account_id', 'events', 'cursor']).where('is_active', '=', 1);
  if (accounts !== null) query = query.where('account_id', 'in', accounts);
  return query.execute();
}

/**
 * Inserts a webhook's deliveries of at most `limit` events after its journal cursor, and moves the cursor.
 * @returns whether there may be more
 */
export async function insertDeliveries(
  tx: Tx,
  webhook: Pick<Webhook, 'id' | 'account_id' | 'events' | 'cursor'>,
  options: { now: number; limit: number },
): Promise<boolean> {
  const { now, limit } = options;
  await tx.lock(LOCKS.deliveries('webhook_deliveries'));
  const newest = await journalHeadOf(tx, webhook.account_id);
  if (newest <= webhook.cursor) return false;
  const made = await tx
    .insertInto('webhook_deliveries')
    .columns([
      'webhook_id',
      'journal_id',
      'lot_id',
      'event',
      'payload',
      'occurred_at',
      'attempts',
      'tries_began_at',
      'next_attempt_at',
      'created_at',
    ])
    .expression(({ selectFrom, val }) =>
      selectFrom('events')
        .innerJoin('webhooks', (join) => join.on('webhooks.id', '=', webhook.id))
        .select([
          'webhooks.id as webhook_id',
          'events.id as journal_id',
          'events.lot_id',
          'events.event',
          'events.payload',
          'events.created_at as occurred_at',
          val(0).as('attempts'),
          val(now).as('tries_began_at'),
          val(now).as('next_attempt_at'),
          val(now).as('created_at'),
        ])
        .where('events.account_id', '=', webhook.account_id)
        .where('events.id', '>', webhook.cursor)
        .where('events.event', 'in', decodeJson(webhook.events))
        .where(hearsOfLot('events.lot_id'))
        .orderBy('events.id')
        .limit(limit),
    )
    .returning('journal_id')
    .execute();
  const isFull = made.length === limit;
  const cursor = isFull ? Math.max(...made.map(({ journal_id }) => journal_id)) : newest;
  await tx.updateTable('webhooks').set({ cursor }).where('id', '=', webhook.id).execute();
  return isFull;
}

/** Lists the lots of attempts under way in any process, by webhook. */
export async function leasedLots(db: Db, now: number): Promise<{ webhook_id: number; lot_id: number }[]> {
  return db
    .selectFrom('webhook_deliveries')
    .select(['webhook_id', 'lot_id'])
    .where('ended_at', 'is', null)
    .where('lease_ends_at', '>', now)
    .execute();
}

/** A receiver's answer to an attempt. */
export type ReceiverAnswer = DeliveryAnswer & { statusCode: number | null };

/** The address of a delivery, and the secrets that sign it. */
export interface WebhookTarget extends Pick<Webhook, 'id' | 'url'> {
  /** The present one, and former ones that are still valid. */
  secrets_sealed: string[];
}

/** Lists active webhooks that have a delivery due. */
export async function webhooksWithDue(db: Db, now: number): Promise<WebhookTarget[]> {
  const webhooks = await db
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret_sealed'])
    .where('is_active', '=', 1)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_deliveries')
          .select('id')
          .whereRef('webhook_id', '=', 'webhooks.id')
          .where('ended_at', 'is', null)
          .where('next_attempt_at', '<=', now),
      ),
    )
    .execute();
  if (webhooks.length === 0) return [];
  const former = await db
    .selectFrom('former_webhook_secrets')
    .select(['webhook_id', 'secret_sealed'])
    .where('valid_until', '>', now)
    .orderBy('id', 'desc')
    .execute();
  const byWebhook = groupBy(former, ({ webhook_id }) => webhook_id);
  return webhooks.map(({ id, url, secret_sealed }) => ({
    id,
    url,
    secrets_sealed: [secret_sealed, ...(byWebhook.get(id) ?? []).map((each) => each.secret_sealed)],
  }));
}

/** A delivery for which an attempt has to be made. */
export type DueDelivery = WebhookDelivery & { target: WebhookTarget };

/**
 * Leases at most `limit` of a webhook's due deliveries for one attempt each. Of each lot it leases only the one that is due longest, so
 * that a lot's events arrive in their order. It leases none of a lot that the webhook no longer hears.
 * @param options.busyLots the lots with an attempt under way
 */
export async function leaseDueDeliveries(
  tx: Db,
  options: { target: WebhookTarget; now: number; leaseEndsAt: number; limit: number; busyLots: readonly number[] },
): Promise<DueDelivery[]> {
  const { target, ...due } = options;
  const ids = await dueIds(tx, { ...due, webhook_id: target.id });
  const leased = await leaseDeliveries(tx, 'webhook_deliveries', { ...due, ids, set: {} });
  return leased.map((delivery) => ({ ...delivery, target }));
}

/** Finds the ids by going from lot to lot in the index, so that it is fast even if many deliveries of a lot wait. */
async function dueIds(
  db: Db,
  options: { webhook_id: number; now: number; limit: number; busyLots: readonly number[] },
): Promise<number[]> {
  const { webhook_id, now, limit, busyLots } = options;
  let query = db
    .withRecursive('lanes', (cte) =>
      cte
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => fn.min<number | null>('lot_id').as('lot_id'))
        .where('webhook_id', '=', webhook_id)
        .where('ended_at', 'is', null)
        .unionAll(
          cte
            .selectFrom('lanes')
            .select(({ selectFrom }) =>
              selectFrom('webhook_deliveries')
                .select(({ fn }) => fn.min<number | null>('webhook_deliveries.lot_id').as('next'))
                .where('webhook_id', '=', webhook_id)
                .where('ended_at', 'is', null)
                .whereRef('webhook_deliveries.lot_id', '>', 'lanes.lot_id')
                .as('lot_id'),
            )
            .where('lanes.lot_id', 'is not', null),
        ),
    )
    .selectFrom('lanes')
    .innerJoin('webhook_deliveries as head', (join) =>
      join.on('head.id', '=', ({ selectFrom }) =>
        selectFrom('webhook_deliveries as due')
          .select('due.id')
          .where('due.webhook_id', '=', webhook_id)
          .where('due.ended_at', 'is', null)
          .whereRef('due.lot_id', '=', 'lanes.lot_id')
          .where('due.next_attempt_at', '<=', now)
          .orderBy('due.next_attempt_at')
          .orderBy('due.id')
          .limit(1),
      ),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhooks')
          .select('webhooks.id')
          .where('webhooks.id', '=', webhook_id)
          .where(hearsOfLot('lanes.lot_id')),
      ),
    )
    .select('head.id')
    .orderBy('head.next_attempt_at')
    .orderBy('head.id')
    .limit(limit);
  if (busyLots.length > 0) query = query.where('head.lot_id', 'not in', busyLots);
  return (await query.execute()).map(({ id }) => id);
}
