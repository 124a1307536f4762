/** Reads operation tokens with everything that their representations contain. */
import { type ProductDetails, productsByIds } from '../../equipment/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';

export interface TokenDetails {
  id: number;
  token: Row<'operation_tokens'>;
  /** null: the product was removed. */
  product: ProductDetails | null;
}

/** The source of the list of operation tokens. */
export const tokensWithProducts = (db: Db) =>
  db.selectFrom('operation_tokens').leftJoin('products', 'products.id', 'operation_tokens.product_id');

export async function tokensByIds(db: Db, ids: readonly number[]): Promise<TokenDetails[]> {
  const tokens = await db.selectFrom('operation_tokens').selectAll().where('id', 'in', ids).execute();
  const products = await productsOf(db, tokens);
  return tokens.map((token) => ({ id: token.id, token, product: products.get(token.product_id) ?? null }));
}

/** Reads the products of keys, by their ids. Removed products are missing. */
export async function productsOf(
  db: Db,
  rows: readonly { product_id: number }[],
): Promise<ReadonlyMap<number, ProductDetails>> {
  if (rows.length === 0) return new Map();
  const products = await productsByIds(db, [...new Set(rows.map(({ product_id }) => product_id))]);
  return new Map(products.map((product) => [product.id, product]));
}
