/** Reads and writes keys: operation tokens and their key logs. */
import { inPieces } from '../../../shared/grouping.js';
import { denyCredentials, markKeyLogs } from '../../equipment/entry.js';
import { withdrawKeyMails } from '../../site/entry.js';
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';

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

export interface ChangedKey {
  log: Row<'key_logs'>;
  token: Row<'operation_tokens'>;
  /** null: the product was removed. */
  product: Pick<Row<'products'>, 'id' | 'lot_id'> | null;
}

/** Finds a key log that was not deleted. */
export async function findKeyToChange(db: Db, id: number): Promise<ChangedKey | null> {
  const log = await db
    .selectFrom('key_logs')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (log === undefined) return null;
  const token = await db
    .selectFrom('operation_tokens')
    .selectAll()
    .where('id', '=', log.operation_token_id)
    .executeTakeFirst();
  if (token === undefined) return null;
  const product = await db
    .selectFrom('products')
    .select(['id', 'lot_id'])
    .where('id', '=', log.product_id)
    .executeTakeFirst();
  return { log, token, product: product ?? null };
}

/** Renames a key log and its operation key. */
export async function renameKey(tx: Db, key: { operation_token_id: number; name: string; now: number }): Promise<void> {
  const set = { name: key.name, updated_at: key.now };
  for (const table of ['key_logs', 'operation_keys'] as const) {
    await tx.updateTable(table).set(set).where('operation_token_id', '=', key.operation_token_id).execute();
  }
}

/** Sets the statuses of a key log and its token. @param key.credential_id a new one when the token becomes active again */
export async function saveKeyStatus(
  tx: Db,
  key: {
    operation_token_id: number;
    status: Row<'key_logs'>['status'];
    tokenStatus: Row<'operation_tokens'>['status'];
    credential_id?: number;
    now: number;
  },
): Promise<void> {
  const { operation_token_id, status, tokenStatus, credential_id, now } = key;
  await tx
    .updateTable('key_logs')
    .set({ status, updated_at: now })
    .where('operation_token_id', '=', operation_token_id)
    .execute();
  await tx
    .updateTable('operation_tokens')
    .set({ status: tokenStatus, updated_at: now, ...(credential_id === undefined ? {} : { credential_id }) })
    .where('id', '=', operation_token_id)
    .execute();
}

/** Lists the products of key logs, each once, in the order of their ids. */
export async function productIdsOfKeys(db: Db, key_log_ids: readonly number[]): Promise<number[]> {
  if (key_log_ids.length === 0) return [];
  const rows = await db
    .selectFrom('key_logs')
    .select('product_id')
    .distinct()
    .where('id', 'in', key_log_ids)
    .orderBy('product_id')
    .execute();
  return rows.map(({ product_id }) => product_id);
}
