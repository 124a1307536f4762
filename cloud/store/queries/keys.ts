/** Keys: operation tokens and the key logs that follow them. */
import type { Db } from '../cloud-store.js';

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
  for (const product_ids of inPieces([...new Set(expired.map(({ product_id }) => product_id))])) {
    const products = await tx.selectFrom('products').select('lot_id').where('id', 'in', product_ids).execute();
    for (const { lot_id } of products) if (lot_id !== null) lots.add(lot_id);
  }
  return { count: expired.length, lot_ids: [...lots] };
}

/** The product is removed, or paired anew: whatever was handed out for it is worth nothing. */
export async function invalidateTokensOfProduct(tx: Db, product: { id: number; now: number }): Promise<void> {
  const { id, now } = product;
  const invalid = await tx
    .updateTable('operation_tokens')
    .set({ status: 'invalid', updated_at: now })
    .where('product_id', '=', id)
    .where('status', '!=', 'invalid')
    .returning('id')
    .execute();
  await markKeyLogs(tx, { token_ids: invalid.map((token) => token.id), status: 'invalid', now });
}

/** `deleted` is final; the token is blocked. An operation key of it goes with the key log. */
export async function removeKeyLog(tx: Db, keyLog: { id: number; now: number }): Promise<void> {
  const { id, now } = keyLog;
  const { operation_token_id } = await tx
    .updateTable('key_logs')
    .set({ status: 'deleted', deleted_at: now, updated_at: now })
    .where('id', '=', id)
    .returning('operation_token_id')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('operation_tokens')
    .set({ status: 'blocked', updated_at: now })
    .where('id', '=', operation_token_id)
    .execute();
  await tx
    .updateTable('operation_keys')
    .set({ deleted_at: now, updated_at: now })
    .where('operation_token_id', '=', operation_token_id)
    .execute();
}

async function markKeyLogs(
  tx: Db,
  marked: { token_ids: number[]; status: 'expired' | 'invalid'; now: number },
): Promise<void> {
  for (const token_ids of inPieces(marked.token_ids)) {
    await tx
      .updateTable('key_logs')
      .set({ status: marked.status, updated_at: marked.now })
      .where('operation_token_id', 'in', token_ids)
      .where('deleted_at', 'is', null)
      .execute();
  }
}

function inPieces(ids: number[]): number[][] {
  const pieces = Math.ceil(ids.length / IDS_PER_STATEMENT);
  return Array.from({ length: pieces }, (_, index) =>
    ids.slice(index * IDS_PER_STATEMENT, (index + 1) * IDS_PER_STATEMENT),
  );
}
