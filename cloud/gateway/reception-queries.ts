/** Reads and writes which gateways hear which products. */
import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';

export async function saveReceptions(db: Db, rows: readonly Row<'product_receptions'>[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('product_receptions')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['product_id', 'gateway_id', 'is_proven'])
        .doUpdateSet(({ ref }) => ({ rssi: ref('excluded.rssi'), heard_at: ref('excluded.heard_at') })),
    )
    .execute();
}

/** Removes what the gateway heard of these products by their keys. */
export async function deleteProvenReceptions(
  db: Db,
  { gateway_id, product_ids }: { gateway_id: number; product_ids: readonly number[] },
): Promise<void> {
  if (product_ids.length === 0) return;
  await db
    .deleteFrom('product_receptions')
    .where('gateway_id', '=', gateway_id)
    .where('product_id', 'in', product_ids)
    .where('is_proven', '=', 1)
    .execute();
}

/** Removes all that the gateway heard. */
export async function deleteReceptionsOf(db: Db, gateway_id: number): Promise<void> {
  await db.deleteFrom('product_receptions').where('gateway_id', '=', gateway_id).execute();
}

/** Lists who hears these products since then, proven ones last. */
export function receptionsSince(
  db: Db,
  { product_ids, since }: { product_ids: readonly number[]; since: number },
): Promise<Row<'product_receptions'>[]> {
  return db
    .selectFrom('product_receptions')
    .selectAll()
    .where('product_id', 'in', product_ids)
    .where('heard_at', '>=', since)
    .orderBy('is_proven')
    .execute();
}
