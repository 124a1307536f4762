/** Reads key logs, operation keys and their receivers, with everything that their representations contain. */
import { sql } from 'kysely';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { type FilterField, NEVER, personField, plateField } from '../../rest/entry.js';
import { type MailState, mailStates } from '../../site/entry.js';
import type { ProductDetails } from '../../equipment/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { productsOf } from './operation-token-queries.js';

type Sender = Omit<Row<'account_users'>, 'password_hash'>;

export interface KeyLogDetails {
  id: number;
  log: Row<'key_logs'>;
  token: Row<'operation_tokens'>;
  /** null: the product was removed. */
  product: ProductDetails | null;
  /** null: no user gave the key, or that user was deleted. */
  sender: Sender | null;
  /** null: there is no mail. */
  invitation: MailState | null;
}

export interface OperationKeyDetails {
  id: number;
  key: Row<'operation_keys'>;
  token: Row<'operation_tokens'>;
  product: ProductDetails | null;
  sender: Sender | null;
  receiver: Row<'key_receivers'>;
}

/** The source of the list of key logs, without the deleted ones. */
export const liveKeyLogs = (db: Db) =>
  db
    .selectFrom('key_logs')
    .innerJoin('operation_tokens', 'operation_tokens.id', 'key_logs.operation_token_id')
    .leftJoin('products', 'products.id', 'key_logs.product_id')
    .leftJoin('operation_keys', 'operation_keys.operation_token_id', 'key_logs.operation_token_id')
    .leftJoin('account_users', 'account_users.id', 'key_logs.sender_id')
    .where('key_logs.deleted_at', 'is', null);

/** The mail address of a key log's receiver; null when the receiver has another type. */
export const RECEIVER_EMAIL_OF_LOG = sql`(
  case when key_logs.receiver_identifier_type = 'email' then key_logs.receiver_identifier end
)`;

/** For a row of `key_receivers`: the lots of the products whose keys the receiver got; null for a product that was removed. */
export const LOTS_OF_RECEIVER = sql`
  select products.lot_id from operation_keys left join products on products.id = operation_keys.product_id
  where operation_keys.receiver_id = key_receivers.id
`;

/** The source of the list of operation keys, without the deleted ones. */
export const liveOperationKeys = (db: Db) =>
  db
    .selectFrom('operation_keys')
    .innerJoin('operation_tokens', 'operation_tokens.id', 'operation_keys.operation_token_id')
    .innerJoin('key_receivers', 'key_receivers.id', 'operation_keys.receiver_id')
    .leftJoin('products', 'products.id', 'operation_keys.product_id')
    .leftJoin('account_users', 'account_users.id', 'operation_keys.sender_id')
    .where('operation_keys.deleted_at', 'is', null);

const RECEIVER_TEXT = personField('key_logs.receiver_identifier');
const RECEIVER_PLATE = plateField('key_logs.plate_normalised');
const OF_NO_PLATE = new Set(['neq', 'nlike', 'nin']);

/** A receiver: a licence plate is compared as plates are, an address or number as it is written. */
export const receiverField: FilterField = {
  kind: RECEIVER_TEXT.kind,
  where(rule, values) {
    const asText = RECEIVER_TEXT.where(rule, values);
    // Every receiver has an identifier.
    if (values.length === 0) return asText;
    const plates = values.map((value) => normalisePlate(String(value))).filter((plate) => plate !== '');
    const none = OF_NO_PLATE.has(rule) ? sql`1 = 1` : NEVER;
    const asPlate = plates.length === 0 ? none : RECEIVER_PLATE.where(rule, plates);
    return sql`(
      (key_logs.plate_normalised is null and ${asText}) or (key_logs.plate_normalised is not null and ${asPlate})
    )`;
  },
};

export async function keyLogsByIds(db: Db, ids: readonly number[]): Promise<KeyLogDetails[]> {
  const logs = await db.selectFrom('key_logs').selectAll().where('id', 'in', ids).execute();
  const around = await aroundKeys(db, logs);
  const mails = await mailStates(
    db,
    logs.flatMap(({ invitation_mail_id }) => invitation_mail_id ?? []),
  );
  return logs.flatMap((log) => {
    const common = around(log);
    if (common === null) return [];
    return [{ id: log.id, log, ...common, invitation: mails.get(log.invitation_mail_id ?? 0) ?? null }];
  });
}

export async function operationKeysByIds(db: Db, ids: readonly number[]): Promise<OperationKeyDetails[]> {
  const keys = await db.selectFrom('operation_keys').selectAll().where('id', 'in', ids).execute();
  const around = await aroundKeys(db, keys);
  const receivers = await receiversByIds(
    db,
    keys.map(({ receiver_id }) => receiver_id),
  );
  const receiverOf = new Map(receivers.map((receiver) => [receiver.id, receiver]));
  return keys.flatMap((key) => {
    const [common, receiver] = [around(key), receiverOf.get(key.receiver_id)];
    return common === null || receiver === undefined ? [] : [{ id: key.id, key, ...common, receiver }];
  });
}

export async function receiversByIds(db: Db, ids: readonly number[]): Promise<Row<'key_receivers'>[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('key_receivers').selectAll().where('id', 'in', ids).execute();
}

interface KeyRow {
  product_id: number;
  operation_token_id: number;
  sender_id: number | null;
}

/** Reads the token, product and sender of each key. null: its token is gone. */
async function aroundKeys(db: Db, rows: readonly KeyRow[]) {
  const products = await productsOf(db, rows);
  const tokens = new Map(
    rows.length === 0
      ? []
      : (
          await db
            .selectFrom('operation_tokens')
            .selectAll()
            .where(
              'id',
              'in',
              rows.map(({ operation_token_id }) => operation_token_id),
            )
            .execute()
        ).map((token) => [token.id, token]),
  );
  const senders = await sendersOf(db, rows);
  return ({ product_id, operation_token_id, sender_id }: KeyRow) => {
    const token = tokens.get(operation_token_id);
    if (token === undefined) return null;
    return { token, product: products.get(product_id) ?? null, sender: senders.get(sender_id ?? 0) ?? null };
  };
}

async function sendersOf(db: Db, rows: readonly KeyRow[]): Promise<Map<number, Sender>> {
  const ids = [...new Set(rows.flatMap(({ sender_id }) => sender_id ?? []))];
  if (ids.length === 0) return new Map();
  const users = await db.selectFrom('account_users').selectAll().where('id', 'in', ids).execute();
  return new Map(users.map((user) => [user.id, user]));
}
