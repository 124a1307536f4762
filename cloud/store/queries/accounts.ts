/** Accounts, their users and what they authenticate with. */
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';

/** account_user_roles of the REST contract. */
export const ROLE_IDS = { 'Super Admin': 1, Admin: 2, Attendant: 3 } as const;

/** Whom a token lets act, and on which lots. */
export interface TokenHolder {
  /** An API token acts as the account's first Super Admin. */
  kind: 'user' | 'api';
  /** Id of the user token or of the API token, by `kind`. */
  token_id: number;
  account_id: number;
  account_user_id: number;
  account_user_role_id: number;
  /** Lots the user is assigned to, ascending. */
  lot_ids: number[];
}

/** Who holds the token of this hash; undefined when nobody does, also for an API token of an account without a Super Admin. */
export async function findTokenHolder(db: Db, tokenHash: string): Promise<TokenHolder | undefined> {
  const holder = (await findUserTokenHolder(db, tokenHash)) ?? (await findApiTokenHolder(db, tokenHash));
  if (holder === undefined) return undefined;
  return { ...holder, lot_ids: await findLotIdsOfUser(db, holder.account_user_id) };
}

async function findUserTokenHolder(db: Db, tokenHash: string): Promise<Omit<TokenHolder, 'lot_ids'> | undefined> {
  const row = await db
    .selectFrom('user_tokens')
    .innerJoin('account_users', 'account_users.id', 'user_tokens.account_user_id')
    .select([
      'user_tokens.id as token_id',
      'account_users.id as account_user_id',
      'account_users.account_id',
      'account_users.account_user_role_id',
    ])
    .where('user_tokens.token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row && { kind: 'user', ...row };
}

async function findApiTokenHolder(db: Db, tokenHash: string): Promise<Omit<TokenHolder, 'lot_ids'> | undefined> {
  const row = await db
    .selectFrom('api_tokens')
    .innerJoin('account_users', 'account_users.account_id', 'api_tokens.account_id')
    .select([
      'api_tokens.id as token_id',
      'account_users.id as account_user_id',
      'account_users.account_id',
      'account_users.account_user_role_id',
    ])
    .where('api_tokens.token_hash', '=', tokenHash)
    .where('account_users.account_user_role_id', '=', ROLE_IDS['Super Admin'])
    .orderBy('account_users.id')
    .executeTakeFirst();
  return row && { kind: 'api', ...row };
}

async function findLotIdsOfUser(db: Db, accountUserId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('account_user_lots')
    .select('lot_id')
    .where('account_user_id', '=', accountUserId)
    .orderBy('lot_id')
    .execute();
  return rows.map(({ lot_id }) => lot_id);
}

/** @param email as typed: compared in lower case */
export async function findUserByEmail(db: Db, email: string): Promise<Row<'account_users'> | undefined> {
  return db.selectFrom('account_users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();
}
