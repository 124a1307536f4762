/**
 * Of which lots webhooks hear. A webhook carries the lots of the user who made it: those that the user had then and still has; of a Super
 * Admin, who decides about lots, all that the user has. What an API token without lots of its own makes hears of the whole account.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, hearsWholeAccount } from '../../kernel/auth/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { endedBecause } from '../../kernel/delivery/entry.js';

/** The user who makes a webhook, and the lots that it hears. */
export function ownerOfWebhook(caller: Caller): { account_user_id: number | null; lot_ids: readonly number[] | null } {
  if (hearsWholeAccount(caller)) return { account_user_id: null, lot_ids: null };
  const isDeciding = caller.kind === 'user' && caller.role === 'Super Admin';
  return { account_user_id: caller.user_id, lot_ids: isDeciding ? null : [...caller.lot_ids] };
}

/** The condition that a webhook hears of a lot. @param lot a column with its id; no lot, which samples have, is 0 */
export const hearsOfLot = (lot: string): RawBuilder<SqlBool> => sql<SqlBool>`(
  ${sql.ref(lot)} = 0 or (
    (webhooks.has_own_lots = 0 or exists (
      select 1 from webhook_lots as own where own.webhook_id = webhooks.id and own.lot_id = ${sql.ref(lot)}
    )) and (webhooks.account_user_id is null or exists (
      select 1 from account_user_lots as assigned
      where assigned.account_user_id = webhooks.account_user_id and assigned.lot_id = ${sql.ref(lot)}
    ))
  )
)`;

/** The lots of which a webhook hears: who changes where it sends to hears of them all. */
export const LOTS_OF_WEBHOOK = sql`
  select lots.id as lot_id from lots where lots.account_id = webhooks.account_id and ${hearsOfLot('lots.id')}
`;

export async function insertWebhookLots(tx: Db, webhook: Pick<Row<'webhooks'>, 'id'>, lot_ids: readonly number[]) {
  for (const lot_id of lot_ids)
    await tx.insertInto('webhook_lots').values({ webhook_id: webhook.id, lot_id }).execute();
}

/** Ends deliveries of lots that their webhooks no longer hear. */
export async function endUnheardDeliveries(tx: Db, now: number): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set(endedBecause('The webhook does not hear of this lot any more', now))
    .where('ended_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhooks')
            .select('webhooks.id')
            .whereRef('webhooks.id', '=', 'webhook_deliveries.webhook_id')
            .where(hearsOfLot('webhook_deliveries.lot_id')),
        ),
      ),
    )
    .execute();
}
