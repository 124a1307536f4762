/** The identifier of a product was mistyped and is corrected: nobody can have paired the device that it should have named. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { productHeldBy } from '../../site/entry.js';
import { LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { deleteReceptions } from '../gateway/reception-queries.js';
import { findProduct } from './product-queries.js';

/**
 * Forgets what was heard under the former identifier. A key that was offered to that device stays pending, for the case that the former
 * identifier was right after all.
 * @throws ApiError VALIDATION for a product that has a key, OPERATION_UNFINISHED while it is being paired
 */
export async function changeIdentifier(
  tx: Tx,
  { id, device_id }: Pick<Row<'products'>, 'id' | 'device_id'>,
  given: unknown,
): Promise<void> {
  if (given === undefined || given === device_id) return;
  const hold = await productHeldBy(tx, id);
  if (hold !== null) throw new ApiError(hold.code);
  await tx.lock(LOCKS.pairing(id));
  const present = await findProduct(tx, id);
  if (present === undefined || present.pairing_epoch > 0 || present.master_key_sealed !== null) {
    const message = 'Must stay: the product has been paired. Delete it, and make it anew with the other identifier';
    throw new ApiError(VALIDATION, { field: 'device_id', message });
  }
  await deleteReceptions(tx, id);
}
