/** API tokens, known by their hashes. */
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';

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
