/** Reads and writes API tokens. The database contains only their hashes. */
import type { Db, NewRow, Row } from '../../kernel/store/entry.js';
import { ROLE_IDS } from '../../kernel/auth/entry.js';

/** Finds an account by its name. Also returns whether it has a token of this name, and whether it has a Super Admin for tokens to act as. */
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

export interface ApiTokenDetails {
  id: number;
  token: Row<'api_tokens'>;
  /** The lots to which it is limited; null: it has the lots of the user it acts as. */
  lot_ids: number[] | null;
}

export async function apiTokensByIds(db: Db, ids: readonly number[]): Promise<ApiTokenDetails[]> {
  const tokens = await db.selectFrom('api_tokens').selectAll().where('id', 'in', ids).execute();
  const pairs = await db
    .selectFrom('api_token_lots')
    // Deleted lots are not listed, although the token can still read their history.
    .innerJoin('lots', 'lots.id', 'api_token_lots.lot_id')
    .select(['api_token_lots.api_token_id', 'api_token_lots.lot_id'])
    .where('api_token_id', 'in', ids)
    .orderBy('lot_id')
    .execute();
  return tokens.map((token) => {
    const own = pairs.filter(({ api_token_id }) => api_token_id === token.id).map(({ lot_id }) => lot_id);
    return { id: token.id, token, lot_ids: token.has_own_lots === 1 ? own : null };
  });
}

/** Finds a token of the account by its id. */
export async function findApiToken(
  db: Db,
  wanted: { id: number; account_id: number },
): Promise<ApiTokenDetails | null> {
  const [details] = await apiTokensByIds(db, [wanted.id]);
  return details?.token.account_id === wanted.account_id ? details : null;
}

/** @param made.lot_ids null: the present lots of the user it acts as */
export async function insertApiToken(
  tx: Db,
  made: { row: Omit<NewRow<'api_tokens'>, 'has_own_lots'>; lot_ids: readonly number[] | null },
): Promise<ApiTokenDetails> {
  const lot_ids = made.lot_ids === null ? null : [...new Set(made.lot_ids)].toSorted((a, b) => a - b);
  const token = await tx
    .insertInto('api_tokens')
    .values({ ...made.row, has_own_lots: lot_ids === null ? 0 : 1 })
    .returningAll()
    .executeTakeFirstOrThrow();
  for (const lot_id of lot_ids ?? []) await addLotOfApiToken(tx, { api_token_id: token.id, lot_id });
  return { id: token.id, token, lot_ids };
}

/** Adds a lot to a token that is limited to lots. */
export async function addLotOfApiToken(tx: Db, pair: { api_token_id: number; lot_id: number }): Promise<void> {
  await tx.insertInto('api_token_lots').values(pair).execute();
}

/** @returns whether the token still existed */
export async function deleteApiToken(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('api_tokens').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
