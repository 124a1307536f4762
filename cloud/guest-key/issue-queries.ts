/** Writes new keys: operation tokens with their key logs, and for receivers by mail operation keys and weblinks. */
import { encodeJson } from '../../shared/json-text-codec.js';
import { inPieces } from '../../shared/grouping.js';
import type { ProductOperation } from '../../shared/uplink-orders.js';
import type { Db } from '../store/cloud-store.js';
import type { Database, NewRow, Row } from '../store/schema.js';

const ROWS_PER_STATEMENT = 100;

/** A product with what a new key of it needs. */
export interface KeyProduct {
  id: number;
  account_id: number;
  lot_id: number | null;
  name: string;
  account_name: string;
  /** Of its lot; UTC in none. */
  timezone: string;
}

export async function keyProductsByIds(db: Db, ids: readonly number[]): Promise<Map<number, KeyProduct>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('products')
    .innerJoin('accounts', 'accounts.id', 'products.account_id')
    .leftJoin('lots', 'lots.id', 'products.lot_id')
    .select(['products.id', 'products.account_id', 'products.lot_id', 'products.name'])
    .select(['accounts.name as account_name', 'lots.timezone'])
    .where('products.id', 'in', ids)
    .execute();
  return new Map(rows.map(({ timezone, ...product }) => [product.id, { ...product, timezone: timezone ?? 'UTC' }]));
}

/** A product that somebody names by its device_id, or by its id as text. */
export interface NamedProduct {
  id: number;
  account_id: number;
  lot_id: number | null;
  device_id: string;
  public_key_requests: number;
}

/** Finds the products with these device_ids or ids, of all accounts. */
export async function productsNamed(
  db: Db,
  named: { device_ids: readonly string[]; ids: readonly number[] },
): Promise<NamedProduct[]> {
  const { device_ids, ids } = named;
  if (device_ids.length === 0 && ids.length === 0) return [];
  return db
    .selectFrom('products')
    .innerJoin('accounts', 'accounts.id', 'products.account_id')
    .select(['products.id', 'products.account_id', 'products.lot_id', 'products.device_id'])
    .select('accounts.public_key_requests')
    .where((eb) =>
      eb.or([
        ...(device_ids.length === 0 ? [] : [eb('products.device_id', 'in', device_ids)]),
        ...(ids.length === 0 ? [] : [eb('products.id', 'in', ids)]),
      ]),
    )
    .orderBy('products.id')
    .execute();
}

/** The name of the user who gives keys; null: nobody in particular. */
export async function findSenderName(db: Db, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const user = await db.selectFrom('account_users').select('name').where('id', '=', id).executeTakeFirst();
  return user?.name ?? null;
}

/** Keeps the people to whom an account sends keys. @returns their ids by address */
export async function saveReceivers(
  tx: Db,
  given: { account_id: number; receivers: readonly { email: string; name: string }[]; now: number },
): Promise<Map<string, number>> {
  const { account_id, receivers, now } = given;
  const ids = new Map<string, number>();
  for (const piece of inPieces(receivers, ROWS_PER_STATEMENT)) {
    const rows = piece.map((receiver) => ({ ...receiver, account_id, created_at: now, updated_at: now }));
    const saved = await tx
      .insertInto('key_receivers')
      .values(rows)
      // Whoever was sent a key before keeps the name.
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'email'])
          .doUpdateSet(({ ref }) => ({ updated_at: ref('excluded.updated_at') })),
      )
      .returning(['id', 'email'])
      .execute();
    for (const { id, email } of saved) ids.set(email, id);
  }
  return ids;
}

export const insertTokens = (tx: Db, rows: readonly NewRow<'operation_tokens'>[]) =>
  insertAll(tx, 'operation_tokens', rows);
export const insertKeyLogs = (tx: Db, rows: readonly NewRow<'key_logs'>[]) => insertAll(tx, 'key_logs', rows);
export const insertOperationKeys = (tx: Db, rows: readonly NewRow<'operation_keys'>[]) =>
  insertAll(tx, 'operation_keys', rows);

export async function insertKeyWeblinks(
  tx: Db,
  rows: readonly (Omit<NewRow<'weblinks'>, 'operations'> & { operations: readonly ProductOperation[] })[],
): Promise<void> {
  for (const piece of inPieces(rows, ROWS_PER_STATEMENT)) {
    const links = piece.map(({ operations, ...row }) => ({ ...row, operations: encodeJson([...operations]) }));
    await tx.insertInto('weblinks').values(links).execute();
  }
}

/** @returns the new ids, in the order of the rows */
async function insertAll<Table extends keyof Database>(
  tx: Db,
  table: Table,
  rows: readonly NewRow<Table>[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const piece of inPieces(rows, ROWS_PER_STATEMENT)) {
    // The function's type guarantees that the rows fit the table; all of these have ids.
    const inserted = await tx
      .insertInto(table as 'lots')
      .values(piece as never)
      .returning('id')
      .execute();
    // One statement numbers its rows in their order; a database may return them in another one.
    ids.push(...inserted.map(({ id }) => id).toSorted((a, b) => a - b));
  }
  return ids;
}

/** Notes by which mail keys were sent last. */
export async function saveInvitation(
  tx: Db,
  invited: { key_log_ids: readonly number[]; mail_id: number },
): Promise<void> {
  await tx
    .updateTable('key_logs')
    .set({ invitation_mail_id: invited.mail_id })
    .where('id', 'in', invited.key_log_ids)
    .execute();
}

/** Keys by mail, with what their mails say. */
export interface InvitedKey {
  key_log_id: number;
  receiver_email: string;
  sender_name: string | null;
  start_time: number;
  end_time: number | null;
  weblink: Pick<Row<'weblinks'>, 'id' | 'generation'>;
  product: KeyProduct;
}

/** Finds those of the key logs that can be sent again: keys by mail that work now or will, with their weblinks. */
export async function keysToSend(
  db: Db,
  wanted: { key_log_ids: readonly number[]; now: number },
): Promise<InvitedKey[]> {
  const { key_log_ids, now } = wanted;
  if (key_log_ids.length === 0) return [];
  const rows = await db
    .selectFrom('key_logs')
    .innerJoin('operation_tokens as token', 'token.id', 'key_logs.operation_token_id')
    .innerJoin('weblinks', 'weblinks.operation_token_id', 'token.id')
    .leftJoin('account_users as sender', 'sender.id', 'key_logs.sender_id')
    .select(['key_logs.id', 'key_logs.product_id', 'key_logs.receiver_identifier', 'sender.name as sender_name'])
    .select(['token.start_time', 'token.end_time', 'weblinks.id as weblink_id', 'weblinks.generation'])
    .where('key_logs.id', 'in', key_log_ids)
    .where('key_logs.deleted_at', 'is', null)
    .where('key_logs.receiver_identifier_type', '=', 'email')
    .where('token.status', '=', 'active')
    .where((eb) => eb.or([eb('token.end_time', 'is', null), eb('token.end_time', '>', now)]))
    .where('weblinks.revoked_at', 'is', null)
    .orderBy('key_logs.id')
    .execute();
  const products = await keyProductsByIds(db, [...new Set(rows.map(({ product_id }) => product_id))]);
  return rows.flatMap(({ id, product_id, receiver_identifier, weblink_id, generation, ...row }) => {
    const product = products.get(product_id);
    if (product === undefined) return [];
    const weblink = { id: weblink_id, generation };
    return [{ ...row, key_log_id: id, receiver_email: receiver_identifier, weblink, product }];
  });
}
