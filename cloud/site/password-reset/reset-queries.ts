/** Finds who may set a new password by mail, and stores it. */
import type { Db, Tx } from '../../kernel/store/entry.js';
import { shownNameOf } from '../face/face-queries.js';

/** Finds a user with what its links are derived from. */
export function findResetUser(db: Db, id: number) {
  return db
    .selectFrom('account_users as user')
    .innerJoin('accounts as account', 'account.id', 'user.account_id')
    .select(['user.id', 'user.account_id', 'user.email', 'user.name', 'user.password_hash', 'user.email_confirmed'])
    .select('account.name as account_name')
    .select(shownNameOf('account').as('shown_name'))
    .where('user.id', '=', id)
    .executeTakeFirst();
}

/** Counts the mails by which a user of the account could set a password, and that were asked for since a time (wall milliseconds). */
export async function countResetMails(
  db: Db,
  { account_id, email, since }: { account_id: number; email: string; since: number },
): Promise<number> {
  const { total } = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('account_id', '=', account_id)
    .where('updated_at', '>=', since)
    .where('created_at', '>=', since)
    .where('kind', '=', 'reset')
    .where('receiver_email', '=', email)
    .executeTakeFirstOrThrow();
  return Number(total);
}

export async function setPassword(
  tx: Tx,
  { id, password_hash, now }: { id: number; password_hash: string; now: number },
): Promise<void> {
  await tx.updateTable('account_users').set({ password_hash, updated_at: now }).where('id', '=', id).execute();
}
