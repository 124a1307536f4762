/** Reads and writes products for reports and commands. */
import type { ProductView } from './lot-change-event.js';
import type { Db, NewRow, Row } from '../../kernel/store/entry.js';

export type ProductPlace = Pick<Row<'products'>, 'id' | 'account_id' | 'lot_id'>;

export async function findProductPlaces(db: Db, ids: number[]): Promise<ProductPlace[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('products').select(['id', 'account_id', 'lot_id']).where('id', 'in', ids).execute();
}

/** Lists those of the products that are in the lot. */
export async function productIdsOfLot(db: Db, wanted: { lot_id: number; product_ids: number[] }): Promise<number[]> {
  const { lot_id, product_ids } = wanted;
  if (product_ids.length === 0) return [];
  const rows = await db
    .selectFrom('products')
    .select('id')
    .where('lot_id', '=', lot_id)
    .where('id', 'in', product_ids)
    .execute();
  return rows.map(({ id }) => id);
}

export async function productIdsIn(db: Db, lot_id: number): Promise<number[]> {
  const rows = await db.selectFrom('products').select('id').where('lot_id', '=', lot_id).orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Finds those of the products that are in the lot, with all that their events show, by id. */
export async function productViewsOfLot(
  db: Db,
  wanted: { lot_id: number; product_ids: number[] },
): Promise<Map<number, ProductView>> {
  const { lot_id, product_ids } = wanted;
  if (product_ids.length === 0) return new Map();
  const products = await db
    .selectFrom('products')
    .selectAll()
    .where('lot_id', '=', lot_id)
    .where('id', 'in', product_ids)
    .execute();
  const blocks = await db.selectFrom('product_blocks').selectAll().where('product_id', 'in', product_ids).execute();
  const errors = await db.selectFrom('product_errors').selectAll().where('product_id', 'in', product_ids).execute();
  const lot = await db.selectFrom('lots').selectAll().where('id', '=', lot_id).executeTakeFirst();
  const blockOf = new Map(blocks.map((block) => [block.product_id, block]));
  const errorOf = new Map(errors.map((error) => [error.product_id, error]));
  return new Map(
    products.map((product) => [
      product.id,
      {
        product,
        block: blockOf.get(product.id) ?? null,
        error: errorOf.get(product.id) ?? null,
        lot: lot ?? null,
      },
    ]),
  );
}

/** Finds a product with what decides whether it accepts commands. */
export function findCommandTarget(
  db: Db,
  product_id: number,
): Promise<(Row<'products'> & { remote_control: number }) | undefined> {
  return db
    .selectFrom('products')
    .innerJoin('accounts', 'accounts.id', 'products.account_id')
    .selectAll('products')
    .select('accounts.remote_control')
    .where('products.id', '=', product_id)
    .executeTakeFirst();
}

/** Lists the products of a lot, with their permanent positions (null: not known). */
export function productsOfLot(
  db: Db,
  lot_id: number,
): Promise<(Row<'products'> & { permanent_position: string | null })[]> {
  return db
    .selectFrom('products')
    .leftJoin('product_blocks', 'product_blocks.product_id', 'products.id')
    .selectAll('products')
    .select('product_blocks.permanent_position')
    .where('products.lot_id', '=', lot_id)
    .orderBy('products.id')
    .execute();
}

export function findProduct(db: Db, id: number): Promise<Row<'products'> | undefined> {
  return db.selectFrom('products').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Loads all that the event of a product shows; the product may be in no lot. */
export async function productViewOf(db: Db, product: Row<'products'>): Promise<ProductView> {
  const block = db.selectFrom('product_blocks').selectAll().where('product_id', '=', product.id);
  const error = db.selectFrom('product_errors').selectAll().where('product_id', '=', product.id);
  const lot =
    product.lot_id === null
      ? undefined
      : await db.selectFrom('lots').selectAll().where('id', '=', product.lot_id).executeTakeFirst();
  return {
    product,
    block: (await block.executeTakeFirst()) ?? null,
    error: (await error.executeTakeFirst()) ?? null,
    lot: lot ?? null,
  };
}

type ReportedColumns = Pick<
  Row<'products'>,
  'status' | 'rssi' | 'battery_status' | 'advertisement_data' | 'last_moved' | 'updated_at'
>;

/** Writes what was reported of a product; what is left out stays. */
export function saveProductReport(
  db: Db,
  product: { id: number } & Partial<ReportedColumns>,
): Promise<Row<'products'>> {
  const { id, ...columns } = product;
  return db.updateTable('products').set(columns).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function saveProductsSeen(db: Db, products: { ids: number[]; seen_at: number }): Promise<void> {
  if (products.ids.length === 0) return;
  await db.updateTable('products').set({ seen_at: products.seen_at }).where('id', 'in', products.ids).execute();
}

export async function saveClockRecordMade(db: Db, product: { id: number; now: number }): Promise<void> {
  await db.updateTable('products').set({ clock_record_at: product.now }).where('id', '=', product.id).execute();
}

/**
 * Assigns the serial of a product's next admin record. It is at least the second of its making, so that a database that was restored from a
 * backup goes on above what the product has seen.
 */
export async function nextAdminSerial(db: Db, product: { id: number; now: number }): Promise<number> {
  const nowS = Math.floor(product.now / 1_000);
  const { admin_serial } = await db
    .updateTable('products')
    .set(({ eb }) => ({
      admin_serial: eb
        .case()
        .when('admin_serial', '<', nowS)
        .then(nowS)
        .else(eb('admin_serial', '+', 1))
        .end(),
    }))
    .where('id', '=', product.id)
    .returning('admin_serial')
    .executeTakeFirstOrThrow();
  return Number(admin_serial);
}

export async function saveGuestGeneration(db: Db, product: { id: number; guest_generation: number }): Promise<void> {
  const { id, guest_generation } = product;
  await db.updateTable('products').set({ guest_generation }).where('id', '=', id).execute();
}

/** Inserts a product's block, or replaces what it holds. */
export function saveProductBlock(db: Db, row: NewRow<'product_blocks'>): Promise<Row<'product_blocks'>> {
  const { product_id: _product, created_at: _created, ...columns } = row;
  return db
    .insertInto('product_blocks')
    .values(row)
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Inserts a product's error, or replaces what it holds. */
export function saveProductError(db: Db, row: NewRow<'product_errors'>): Promise<Row<'product_errors'>> {
  const { product_id: _product, created_at: _created, ...columns } = row;
  return db
    .insertInto('product_errors')
    .values(row)
    .onConflict((conflict) => conflict.column('product_id').doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteProductError(db: Db, product_id: number): Promise<void> {
  await db.deleteFrom('product_errors').where('product_id', '=', product_id).execute();
}

/** Lists products that show as online although no gateway has reported them since `before`. */
export function staleProducts(db: Db, before: number): Promise<{ id: number; lot_id: number | null }[]> {
  return db
    .selectFrom('products')
    .select(['id', 'lot_id'])
    .where('status', '=', 'online')
    .where((eb) => eb.or([eb('seen_at', 'is', null), eb('seen_at', '<', before)]))
    .orderBy('id')
    .execute();
}

export async function saveProductOffline(db: Db, product: { id: number; now: number }): Promise<void> {
  await db
    .updateTable('products')
    .set({ status: 'offline', rssi: null, updated_at: product.now })
    .where('id', '=', product.id)
    .execute();
}
