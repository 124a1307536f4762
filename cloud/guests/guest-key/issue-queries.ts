/** Writes new keys: operation tokens with their key logs, and for receivers by mail also operation keys and weblinks. */
import { encodeJson } from '../../../shared/json-text-codec.js';
import { inPieces } from '../../../shared/grouping.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import { placeOfLot, shownNameOf } from '../../site/entry.js';
import { type Db, insertNumbered, type NewRow, type Row, ROWS_OF_STATEMENT_MAX } from '../../kernel/store/entry.js';

/** A product with the data that a new key needs. */
export interface KeyProduct {
  id: number;
  account_id: number;
  lot_id: number | null;
  name: string;
  account_name: string;
  /** The time zone of its lot; UTC when it is in no lot. */
  timezone: string;
  /** The lot's name and address; empty when it is in no lot. */
  place: string;
}

export async function keyProductsByIds(db: Db, ids: readonly number[]): Promise<Map<number, KeyProduct>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('products')
    .innerJoin('accounts', 'accounts.id', 'products.account_id')
    .leftJoin('lots', 'lots.id', 'products.lot_id')
    .select(['products.id', 'products.account_id', 'products.lot_id', 'products.name'])
    .select(['lots.timezone', 'lots.name as lot_name', 'lots.address'])
    .select(shownNameOf('accounts').as('account_name'))
    .where('products.id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ timezone, lot_name, address, ...product }) => {
      return [product.id, { ...product, timezone: timezone ?? 'UTC', place: placeOfLot(lot_name, address) }];
    }),
  );
}

/** A product that a request names by its device_id, or by its id as text. */
export interface NamedProduct {
  id: number;
  account_id: number;
  lot_id: number | null;
  device_id: string;
  public_key_requests: number;
}

/** Finds the products with these device_ids or ids, in all accounts. */
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

/** Returns the name of the user who gives keys; null: no such user, or `id` is null. */
export async function findSenderName(db: Db, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const user = await db.selectFrom('account_users').select('name').where('id', '=', id).executeTakeFirst();
  return user?.name ?? null;
}

/** A person to whom an account sends keys. */
export type KeyReceiver = Pick<Row<'key_receivers'>, 'id' | 'email' | 'locale'>;

/**
 * Stores the people to whom an account sends keys. @param given.locale the language of receivers whose language is not known yet
 * @returns the receivers by address
 */
export async function saveReceivers(
  tx: Db,
  given: {
    account_id: number;
    receivers: readonly { email: string; name: string }[];
    locale: string | null;
    now: number;
  },
): Promise<Map<string, KeyReceiver>> {
  const { account_id, receivers, locale, now } = given;
  const known = new Map<string, KeyReceiver>();
  for (const piece of inPieces(receivers, ROWS_OF_STATEMENT_MAX)) {
    const rows = piece.map((receiver) => ({ ...receiver, locale, account_id, created_at: now, updated_at: now }));
    const saved = await tx
      .insertInto('key_receivers')
      .values(rows)
      // A receiver who is stored already keeps the name, and the language if it is known.
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'email']).doUpdateSet(({ ref, fn }) => ({
          updated_at: ref('excluded.updated_at'),
          locale: fn.coalesce('key_receivers.locale', 'excluded.locale'),
        })),
      )
      .returning(['id', 'email', 'locale'])
      .execute();
    for (const receiver of saved) known.set(receiver.email, receiver);
  }
  return known;
}

export const insertTokens = (tx: Db, rows: readonly NewRow<'operation_tokens'>[]) =>
  insertNumbered(tx, 'operation_tokens', rows);
export const insertKeyLogs = (tx: Db, rows: readonly NewRow<'key_logs'>[]) => insertNumbered(tx, 'key_logs', rows);
export const insertOperationKeys = (tx: Db, rows: readonly NewRow<'operation_keys'>[]) =>
  insertNumbered(tx, 'operation_keys', rows);

export async function insertKeyWeblinks(
  tx: Db,
  rows: readonly (Omit<NewRow<'weblinks'>, 'operations'> & { operations: readonly ProductOperation[] })[],
): Promise<void> {
  for (const piece of inPieces(rows, ROWS_OF_STATEMENT_MAX)) {
    const links = piece.map(({ operations, ...row }) => ({ ...row, operations: encodeJson([...operations]) }));
    await tx.insertInto('weblinks').values(links).execute();
  }
}

/** Finds the key logs by mail that have no weblink, with the data that a weblink needs. */
export async function keysWithoutWeblink(db: Db, key_log_ids: readonly number[]) {
  if (key_log_ids.length === 0) return [];
  return db
    .selectFrom('key_logs')
    .innerJoin('operation_tokens as token', 'token.id', 'key_logs.operation_token_id')
    .leftJoin('weblinks', 'weblinks.operation_token_id', 'token.id')
    .select(['key_logs.account_id', 'key_logs.product_id', 'key_logs.operation_token_id', 'key_logs.name'])
    .select(['token.start_time', 'token.end_time'])
    .where('key_logs.id', 'in', key_log_ids)
    .where('key_logs.deleted_at', 'is', null)
    .where('key_logs.receiver_identifier_type', '=', 'email')
    .where('weblinks.id', 'is', null)
    .orderBy('key_logs.id')
    .execute();
}

/** Stores which mail brought the keys last. */
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

/** A key by mail, with the data of its mail. */
export interface InvitedKey {
  key_log_id: number;
  receiver_email: string;
  /** The receiver's language; null: not known. */
  locale: string | null;
  sender_name: string | null;
  start_time: number;
  end_time: number | null;
  weblink: Pick<Row<'weblinks'>, 'id' | 'generation'>;
  product: KeyProduct;
}

/** Finds the key logs that can be sent again: keys by mail that are or will become valid, with their weblinks. */
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
    .leftJoin('key_receivers as receiver', (join) =>
      join
        .onRef('receiver.account_id', '=', 'key_logs.account_id')
        .onRef('receiver.email', '=', 'key_logs.receiver_identifier'),
    )
    .select(['key_logs.id', 'key_logs.product_id', 'key_logs.receiver_identifier', 'sender.name as sender_name'])
    .select('receiver.locale')
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
