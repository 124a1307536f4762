/** Reads products with all that their representations show. */
import type { Db, Row } from '../../kernel/store/entry.js';

export interface ProductDetails {
  id: number;
  account_id: number;
  lot_id: number | null;
  product: Row<'products'>;
  /** null: no gateway or site file has said its state yet. */
  block: Row<'product_blocks'> | null;
  error: Row<'product_errors'> | null;
}

export async function findProductDetails(db: Db, id: number): Promise<ProductDetails | null> {
  return (await productsByIds(db, [id]))[0] ?? null;
}

/** Runs one query for the products, and a second one only if some have errors. */
export async function productsByIds(db: Db, ids: readonly number[]): Promise<ProductDetails[]> {
  const rows = await db
    .selectFrom('products')
    .leftJoin('product_blocks as block', 'block.product_id', 'products.id')
    .leftJoin('product_errors as error', 'error.product_id', 'products.id')
    .selectAll('products')
    .select([
      'block.id as block_id',
      'block.state',
      'block.is_autoclose',
      'block.autoclose_time',
      'block.autoclose_setting',
      'block.is_car_on_top',
      'block.permanent_position',
      'block.created_at as block_created_at',
      'block.updated_at as block_updated_at',
      'error.id as error_id',
    ])
    .where('products.id', 'in', ids)
    .execute();
  const errors = await productErrors(
    db,
    rows.flatMap(({ error_id }) => error_id ?? []),
  );
  return rows.map((row) => {
    const { block_id, state, is_autoclose, autoclose_time, autoclose_setting, is_car_on_top, ...rest } = row;
    const { permanent_position, block_created_at, block_updated_at, error_id, ...product } = rest;
    const block = {
      id: block_id,
      product_id: product.id,
      state,
      is_autoclose,
      autoclose_time,
      autoclose_setting,
      is_car_on_top,
      permanent_position,
      created_at: block_created_at,
      updated_at: block_updated_at,
    };
    return {
      id: product.id,
      account_id: product.account_id,
      lot_id: product.lot_id,
      product,
      // The columns of an existing block are never null.
      block: block_id === null ? null : (block as Row<'product_blocks'>),
      error: error_id === null ? null : (errors.get(error_id) ?? null),
    };
  });
}

async function productErrors(db: Db, ids: readonly number[]): Promise<Map<number, Row<'product_errors'>>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('product_errors').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}
