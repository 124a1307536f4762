/** What becomes of the webhooks of a user who is being deleted. */
import type { Db } from './cloud-store.js';

/** The webhooks that a user made keep the lots of which they heard, and hear of no others. */
export async function keepWebhooksOfUser(tx: Db, account_user_id: number): Promise<void> {
  const made = tx.selectFrom('webhooks').select('id').where('account_user_id', '=', account_user_id);
  const assigned = tx.selectFrom('account_user_lots').select('lot_id').where('account_user_id', '=', account_user_id);
  await tx.deleteFrom('webhook_lots').where('webhook_id', 'in', made).where('lot_id', 'not in', assigned).execute();
  await tx
    .insertInto('webhook_lots')
    .columns(['webhook_id', 'lot_id'])
    .expression(({ selectFrom }) =>
      selectFrom('webhooks')
        .innerJoin('account_user_lots', 'account_user_lots.account_user_id', 'webhooks.account_user_id')
        .select(['webhooks.id', 'account_user_lots.lot_id'])
        .where('webhooks.account_user_id', '=', account_user_id)
        .where('webhooks.has_own_lots', '=', 0),
    )
    .execute();
  await tx
    .updateTable('webhooks')
    .set({ has_own_lots: 1, account_user_id: null })
    .where('account_user_id', '=', account_user_id)
    .execute();
}
