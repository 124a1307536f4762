/** Reads and writes keys: operation tokens and their key logs. */
import { inPieces } from '../../../shared/grouping.js';
import { withdrawKeyMails } from '../../site/entry.js';
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { denyCredentials, forgetDenials } from './denial-queries.js';

const IDS_PER_STATEMENT = 500;

/**
 * Marks active tokens whose time is over, and their key logs, as expired.
 * @returns how many, and the lots whose gateways may know them
 */
export async function expireTokens(tx: Db, now: number): Promise<{ count: number; lot_ids: number[] }> {
  const expired = await tx
    .updateTable('operation_tokens')
    .set({ status: 'expired', updated_at: now })
    .where('status', '=', 'active')
    .where('end_time', '<=', now)
    .returning(['id', 'product_id'])
    .execute();
  await markKeyLogs(tx, { token_ids: expired.map(({ id }) => id), status: 'expired', now });
  const lots = new Set<number>();
  for (const product_ids of inPieces([...new Set(expired.map(({ product_id }) => product_id))], IDS_PER_STATEMENT)) {
    const products = await tx.selectFrom('products').select('lot_id').where('id', 'in', product_ids).execute();
    for (const { lot_id } of products) if (lot_id !== null) lots.add(lot_id);
  }
  return { count: expired.length, lot_ids: [...lots] };
}

/**
 * Marks all keys of a product as invalid: it is being deleted or paired again. From then on no key is made of it, or becomes active, unless it
 * is still there.
 */
export async function invalidateTokensOfProduct(tx: Tx, product: { id: number; now: number }): Promise<void> {
  const { id, now } = product;
  await tx.lock(LOCKS.productKeys(id));
  await forgetDenials(tx, id);
  const invalid = await tx
    .updateTable('operation_tokens')
    .set({ status: 'invalid', updated_at: now })
    .where('product_id', '=', id)
    .where('status', '!=', 'invalid')
    .returning('id')
    .execute();
  const token_ids = invalid.map((token) => token.id);
  await markKeyLogs(tx, { token_ids, status: 'invalid', now });
  await withdrawKeyMails(tx, { operation_token_ids: token_ids, now });
}

/**
 * Marks a key log and its operation key as deleted, and blocks the token. That of a product that is gone stays invalid. Its weblink is revoked,
 * and no mail brings it any more.
 */
export async function removeKeyLog(tx: Db, keyLog: { id: number; now: number }): Promise<void> {
  const { id, now } = keyLog;
  const { operation_token_id } = await tx
    .updateTable('key_logs')
    .set({ status: 'deleted', deleted_at: now, updated_at: now })
    .where('id', '=', id)
    .returning('operation_token_id')
    .executeTakeFirstOrThrow();
  await denyCredentials(tx, { operation_token_ids: [operation_token_id], now });
  await tx
    .updateTable('operation_tokens')
    .set({ status: 'blocked', updated_at: now })
    .where('id', '=', operation_token_id)
    .where('product_id', 'in', tx.selectFrom('products').select('id'))
    .execute();
  await tx
    .updateTable('operation_keys')
    .set({ deleted_at: now, updated_at: now })
    .where('operation_token_id', '=', operation_token_id)
    .execute();
  await tx
    .updateTable('weblinks')
    .set({ revoked_at: now, updated_at: now })
    .where('operation_token_id', '=', operation_token_id)
    .where('revoked_at', 'is', null)
    .execute();
  await withdrawKeyMails(tx, { operation_token_ids: [operation_token_id], now });
}

async function markKeyLogs(
  tx: Db,
  marked: { token_ids: number[]; status: 'expired' | 'invalid'; now: number },
): Promise<void> {
  for (const token_ids of inPieces(marked.token_ids, IDS_PER_STATEMENT)) {
    await tx
      .updateTable('key_logs')
      .set({ status: marked.status, updated_at: marked.now })
      .where('operation_token_id', 'in', token_ids)
      .where('deleted_at', 'is', null)
      .execute();
  }
}

/** Locks the keys of all products of the accounts: none of these products is deleted or paired anew while a site file declares keys. */
export async function lockKeysOfAccounts(tx: Tx, account_names: readonly string[]): Promise<void> {
  const products = await tx
    .selectFrom('products')
    .innerJoin('accounts', 'accounts.id', 'products.account_id')
    .select('products.id')
    .where('accounts.name', 'in', account_names)
    .orderBy('products.id')
    .execute();
  await tx.lock(...products.map(({ id }) => LOCKS.productKeys(id)));
}

/** Gives weblinks the products and windows of their keys, which a site file may have changed. */
export async function alignWeblinks(tx: Db, key: { operation_token_id: number; now: number }): Promise<void> {
  const { operation_token_id, now } = key;
  const token = await tx
    .selectFrom('operation_tokens')
    .select(['product_id', 'start_time', 'end_time'])
    .where('id', '=', operation_token_id)
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('weblinks')
    .set({ ...token, updated_at: now })
    .where('operation_token_id', '=', operation_token_id)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Finds the keys that site files may declare. Keys that people sent to receivers are left out. */
const unsentKeyLogs = (db: Db, accountIds: readonly number[]) =>
  db
    .selectFrom('key_logs')
    .where('account_id', 'in', accountIds)
    .where('deleted_at', 'is', null)
    .where(
      'operation_token_id',
      'not in',
      db.selectFrom('operation_keys').select('operation_token_id').where('account_id', 'in', accountIds),
    );

export const declaredKeyLogs = (db: Db, accountIds: readonly number[]): Promise<Row<'key_logs'>[]> =>
  unsentKeyLogs(db, accountIds).selectAll().orderBy('id').execute();

export const declaredTokens = (db: Db, accountIds: readonly number[]): Promise<Row<'operation_tokens'>[]> =>
  db
    .selectFrom('operation_tokens')
    .selectAll()
    .where('id', 'in', unsentKeyLogs(db, accountIds).select('operation_token_id'))
    .orderBy('id')
    .execute();
