/** Finds the users who may sign in with a mail address, and stores their tokens. */
import { type Db, deleteRow, LOCKS, type NewRow, type Tx } from '../../kernel/store/entry.js';

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

/** How many sign-ins a user has at most, where each names its device. */
const SIGN_INS_MAX = 10;

/**
 * Stores the token. One that names no device deletes the user's other tokens of its type; one that names its device only the oldest beyond
 * `SIGN_INS_MAX`.
 */
export async function insertUserToken(
  tx: Tx,
  token: Pick<NewRow<'user_tokens'>, 'account_user_id' | 'type' | 'token_hash' | 'created_at' | 'expires_at'> & {
    device: string | null;
  },
): Promise<{ id: number; deletedIds: number[] }> {
  const { account_user_id, type, device, created_at } = token;
  await tx.lock(LOCKS.userTokens(account_user_id));
  const kept = await tx
    .selectFrom('user_tokens')
    .select('id')
    .where('account_user_id', '=', account_user_id)
    .where('type', '=', type)
    .orderBy('id', 'desc')
    .limit(device === null ? 0 : SIGN_INS_MAX - 1)
    .execute();
  const deletedIds = await endSignIns(tx, { account_user_id, type, except: kept.map(({ id }) => id) });
  const row = { ...token, used_at: created_at };
  const { id } = await tx.insertInto('user_tokens').values(row).returning('id').executeTakeFirstOrThrow();
  return { id, deletedIds };
}

/** Deletes the user's tokens of a type. @returns the ids of those that were deleted */
export async function endSignIns(
  tx: Tx,
  { account_user_id, type, except }: { account_user_id: number; type: string; except: readonly number[] },
): Promise<number[]> {
  const deleted = await tx
    .deleteFrom('user_tokens')
    .where('account_user_id', '=', account_user_id)
    .where('type', '=', type)
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .returning('id')
    .execute();
  return deleted.map(({ id }) => id);
}

/** Lists the tokens of a user that have not expired, the newest first. */
export function signInsOf(db: Db, { account_user_id, now }: { account_user_id: number; now: number }) {
  return db
    .selectFrom('user_tokens')
    .select(['id', 'device', 'created_at', 'used_at'])
    .where('account_user_id', '=', account_user_id)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .execute();
}

/** Finds a token of the user. */
export function findSignIn(db: Db, { id, account_user_id }: { id: number; account_user_id: number }) {
  return db
    .selectFrom('user_tokens')
    .select(['id', 'device', 'created_at', 'used_at'])
    .where('id', '=', id)
    .where('account_user_id', '=', account_user_id)
    .executeTakeFirst();
}

/**
 * Stores a use of the token, which moves its end: later, or earlier when USER_TOKEN_DAYS was lowered. Does nothing when the token was deleted.
 */
export async function noteUserTokenUse(
  tx: Tx,
  { id, ...set }: { id: number; used_at: number; expires_at: number },
): Promise<void> {
  await tx.updateTable('user_tokens').set(set).where('id', '=', id).execute();
}

/** @returns whether there was such a token */
export const deleteUserToken = (tx: Tx, id: number): Promise<boolean> => deleteRow(tx, 'user_tokens', id);

/** Deletes expired tokens, and shortens all others to expire at `latest` at the latest. @returns the ids of the deleted ones */
export async function endUserTokens(tx: Tx, { now, latest }: { now: number; latest: number }): Promise<number[]> {
  const ended = await tx.deleteFrom('user_tokens').where('expires_at', '<=', now).returning('id').execute();
  await tx.updateTable('user_tokens').set({ expires_at: latest }).where('expires_at', '>', latest).execute();
  return ended.map(({ id }) => id);
}
