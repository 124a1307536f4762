/** Reads and writes API tokens. The database holds only their hashes. */
import { ROLE_IDS } from '../auth/role-schemas.js';
import type { Db } from '../store/cloud-store.js';
import type { NewRow, Row } from '../store/schema.js';

/** Finds an account by its name, and whether it has a token of this name and a Super Admin for tokens to act as. */
export async function findAccountForToken(
  db: Db,
  wanted: { name: string; token_name: string },
): Promise<{ id: number; has_token: boolean; has_super_admin: boolean } | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('name', 'in', [wanted.name, wanted.name.normalize('NFC')])
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

/** Finds a token of the account by its id. */
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

/** @returns whether the token was still there */
export async function deleteApiToken(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('api_tokens').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
