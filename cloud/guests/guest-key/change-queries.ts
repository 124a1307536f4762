/** Reads and writes the parts of keys that can be changed. */
import type { Db, Row } from '../../kernel/store/entry.js';

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
