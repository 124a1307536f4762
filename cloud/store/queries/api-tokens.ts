/** API tokens, known by their hashes. */
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';
import { ROLE_IDS } from './accounts.js';

/** The account of a name; whether it has a token of that name, and somebody whom a token acts as. */
export async function findAccountForToken(
  db: Db,
  wanted: { name: string; token_name: string },
): Promise<{ id: number; has_token: boolean; has_super_admin: boolean } | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', wanted.name)
    .orderBy('id')
    .executeTakeFirst();
  if (account === undefined) return undefined;
  const token = await db
    .selectFrom('api_tokens')
    .select('id')
    .where('account_id', '=', account.id)
    .where('name', '=', wanted.token_name)
    .executeTakeFirst();
  const superAdmin = await db
    .selectFrom('account_users')
    .select('id')
    .where('account_id', '=', account.id)
    .where('account_user_role_id', '=', ROLE_IDS['Super Admin'])
    .executeTakeFirst();
  return { id: account.id, has_token: token !== undefined, has_super_admin: superAdmin !== undefined };
}

export async function apiTokensByIds(db: Db, ids: readonly number[]): Promise<Row<'api_tokens'>[]> {
  return db.selectFrom('api_tokens').selectAll().where('id', 'in', ids).execute();
}

/** The token of this id, when it is one of the account's. */
export async function findApiToken(
  db: Db,
  wanted: { id: number; account_id: number },
): Promise<Row<'api_tokens'> | null> {
  const [token] = await apiTokensByIds(db, [wanted.id]);
  return token?.account_id === wanted.account_id ? token : null;
}

export async function insertApiToken(tx: Db, row: NewRow<'api_tokens'>): Promise<Row<'api_tokens'>> {
  return tx.insertInto('api_tokens').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteApiToken(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('api_tokens').where('id', '=', id).execute();
}
