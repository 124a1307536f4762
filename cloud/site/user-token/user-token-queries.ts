/** Finds the users who may sign in with a mail address, and stores their tokens. */
import { type Db, LOCKS, type Tx } from '../../kernel/store/entry.js';

/** How many users with one mail address a sign-in considers: each one costs a password check. */
const ACCOUNTS_MAX = 8;

export type LoginUser = Awaited<ReturnType<typeof findLoginUsers>>[number];

/** Finds the users with a mail address, one per account, the oldest first. @param email lower case, as stored */
export function findLoginUsers(db: Db, email: string) {
  return db
    .selectFrom('account_users as user')
    .innerJoin('accounts as account', 'account.id', 'user.account_id')
    .select([
      'user.id',
      'user.account_id',
      'user.account_user_role_id',
      'user.email',
      'user.name',
      'user.email_confirmed',
      'user.password_hash',
      'account.account_role_id',
    ])
    .where('user.email', '=', email)
    .orderBy('user.id')
    .limit(ACCOUNTS_MAX)
    .execute();
}

/** Stores the token and deletes the user's other tokens of its type. */
export async function replaceUserTokens(
  tx: Tx,
  token: { account_user_id: number; type: string; token_hash: string; created_at: number; expires_at: number },
): Promise<{ id: number; deletedIds: number[] }> {
  await tx.lock(LOCKS.userTokens(token.account_user_id));
  const deleted = await tx
    .deleteFrom('user_tokens')
    .where('account_user_id', '=', token.account_user_id)
    .where('type', '=', token.type)
    .returning('id')
    .execute();
  const { id } = await tx.insertInto('user_tokens').values(token).returning('id').executeTakeFirstOrThrow();
  return { id, deletedIds: deleted.map((row) => row.id) };
}

/** Moves the end of the token: later, or earlier when USER_TOKEN_DAYS was lowered. Does nothing when the token was deleted. */
export async function moveEndOfUserToken(
  tx: Tx,
  { id, expires_at }: { id: number; expires_at: number },
): Promise<void> {
  await tx.updateTable('user_tokens').set({ expires_at }).where('id', '=', id).execute();
}

export async function deleteUserToken(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('user_tokens').where('id', '=', id).execute();
}

/** Deletes expired tokens, and shortens all others to expire at `latest` at the latest. @returns the ids of the deleted ones */
export async function endUserTokens(tx: Tx, { now, latest }: { now: number; latest: number }): Promise<number[]> {
  const ended = await tx.deleteFrom('user_tokens').where('expires_at', '<=', now).returning('id').execute();
  await tx.updateTable('user_tokens').set({ expires_at: latest }).where('expires_at', '>', latest).execute();
  return ended.map(({ id }) => id);
}
