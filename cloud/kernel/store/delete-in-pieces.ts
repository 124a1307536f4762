import type { CloudStore, Tx } from './cloud-store.js';

/** How many rows one transaction deletes: other changes never wait long for it. */
const ROWS_PER_TRANSACTION = 2_000;

/**
 * Deletes rows by as many transactions as that needs.
 * @param deletePiece deletes at most `limit` rows, and returns how many it deleted
 * @returns how many rows were deleted in all
 */
export async function deleteInPieces(
  store: Pick<CloudStore, 'change'>,
  deletePiece: (tx: Tx, limit: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await store.change((tx) => deletePiece(tx, ROWS_PER_TRANSACTION));
    total += deleted;
    if (deleted < ROWS_PER_TRANSACTION) return total;
  }
}
