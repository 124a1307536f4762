/** API tokens as they are made. */
import type { Db } from '../cloud-store.js';
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

/** @returns its id */
export async function insertApiToken(
  tx: Db,
  token: { account_id: number; name: string; token_hash: string; now: number },
): Promise<number> {
  const { now, ...columns } = token;
  const { id } = await tx
    .insertInto('api_tokens')
    .values({ ...columns, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
