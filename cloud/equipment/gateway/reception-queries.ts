/** Reads and writes which gateways hear which products. */
import type { Db, Row } from '../../kernel/store/entry.js';

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

/** Removes what gateways heard of a product, whoever sent it. */
export async function deleteReceptions(db: Db, product_id: number): Promise<void> {
  await db.deleteFrom('product_receptions').where('product_id', '=', product_id).execute();
}

/** A gateway that is back counts as hearing what it heard since `since`, until its next report. */
export async function renewReceptions(
  db: Db,
  { gateway_id, since, now }: { gateway_id: number; since: number; now: number },
): Promise<void> {
  await db
    .updateTable('product_receptions')
    .set({ heard_at: now })
    .where('gateway_id', '=', gateway_id)
    .where('heard_at', '>=', since)
    .execute();
}

/**
 * Lists which gateways have heard these products since `since`, proven ones last. Gateways that are offline are left out; one that
 * reports before its first presence is stored counts as online.
 */
export function receptionsSince(
  db: Db,
  { product_ids, since }: { product_ids: readonly number[]; since: number },
): Promise<Row<'product_receptions'>[]> {
  return db
    .selectFrom('product_receptions')
    .innerJoin('gateways', 'gateways.id', 'product_receptions.gateway_id')
    .selectAll('product_receptions')
    .where((eb) => eb.or([eb('gateways.status', '=', 'online'), eb('gateways.presence_boot_id', 'is', null)]))
    .where('product_id', 'in', product_ids)
    .where('heard_at', '>=', since)
    .orderBy('is_proven')
    .execute();
}
