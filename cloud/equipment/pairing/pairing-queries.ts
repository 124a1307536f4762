/** Reads and writes master keys that were offered to products. */
import type { Db, Row, Tx } from '../../kernel/store/entry.js';
import { invalidateTokensOfProduct } from '../denial/denial-queries.js';

/** Lists the pending pairings of a product, the oldest first. */
export function pendingPairingsOf(db: Db, product_id: number): Promise<Row<'pending_pairings'>[]> {
  return db.selectFrom('pending_pairings').selectAll().where('product_id', '=', product_id).orderBy('epoch').execute();
}

/** Lists the pending pairings whose command no longer waits for a confirmation. */
export function unconfirmedPairingsOf(db: Db, product_id: number): Promise<Row<'pending_pairings'>[]> {
  return db
    .selectFrom('pending_pairings')
    .selectAll()
    .where('product_id', '=', product_id)
    .where('event_id', 'not in', db.selectFrom('commands').select('event_id').where('ended_at', 'is', null))
    .orderBy('epoch')
    .execute();
}

export async function insertPendingPairing(db: Db, row: Row<'pending_pairings'>): Promise<void> {
  await db.insertInto('pending_pairings').values(row).execute();
}

export async function deletePendingPairings(
  db: Db,
  old: { product_id: number; pairingEpochs: number[] },
): Promise<void> {
  if (old.pairingEpochs.length === 0) return;
  await db
    .deleteFrom('pending_pairings')
    .where('product_id', '=', old.product_id)
    .where('epoch', 'in', old.pairingEpochs)
    .execute();
}

/** Stores the product's new master key. Everything that was minted with an earlier one is void. */
export async function savePairing(
  db: Tx,
  { pairing, now }: { pairing: Row<'pending_pairings'>; now: number },
): Promise<void> {
  const { product_id, epoch, master_key_sealed } = pairing;
  await db
    .updateTable('products')
    .set({ master_key_sealed, pairing_epoch: epoch, updated_at: now })
    .where('id', '=', product_id)
    .execute();
  await db.deleteFrom('pending_pairings').where('product_id', '=', product_id).execute();
  await invalidateTokensOfProduct(db, { id: product_id, now });
}
