/** Master keys on their way to products. */
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';
import { invalidateTokensOfProduct } from './keys.js';

/** The oldest first. */
export function pendingPairingsOf(db: Db, product_id: number): Promise<Row<'pending_pairings'>[]> {
  return db.selectFrom('pending_pairings').selectAll().where('product_id', '=', product_id).orderBy('epoch').execute();
}

/** Those whose command does not wait for a confirmation any more. */
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

export async function deletePendingPairings(db: Db, old: { product_id: number; epochs: number[] }): Promise<void> {
  if (old.epochs.length === 0) return;
  await db
    .deleteFrom('pending_pairings')
    .where('product_id', '=', old.product_id)
    .where('epoch', 'in', old.epochs)
    .execute();
}

/** The product's master key from now on: what was made with an earlier one is void. */
export async function savePairing(
  db: Db,
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
