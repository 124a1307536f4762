/** Reads and writes plates that are bound to products. */
import type { Db, Row } from '../../kernel/store/entry.js';

export const boundLicensesByIds = (db: Db, ids: readonly number[]): Promise<Row<'bound_licenses'>[]> =>
  db.selectFrom('bound_licenses').selectAll().where('id', 'in', ids).execute();

/** The tables of the list of bound licenses. */
export const licensesWithProducts = (db: Db) =>
  db.selectFrom('bound_licenses').innerJoin('products', 'products.id', 'bound_licenses.product_id');

export async function isBound(db: Db, plate: { product_id: number; plate_normalised: string }): Promise<boolean> {
  const row = await db
    .selectFrom('bound_licenses')
    .select('id')
    .where('product_id', '=', plate.product_id)
    .where('plate_normalised', '=', plate.plate_normalised)
    .executeTakeFirst();
  return row !== undefined;
}
