/** Creates keys for guests: the token and its key log, and for a receiver by mail also the operation key, the weblink and the mail. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import { generateCredentialId, generateWeblinkId } from '../../kernel/secrets/entry.js';
import { LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import {
  findSenderName,
  insertKeyLogs,
  insertKeyWeblinks,
  insertOperationKeys,
  insertTokens,
  type InvitedKey,
  type KeyProduct,
  type KeyReceiver,
  keyProductsByIds,
  saveReceivers,
} from './issue-queries.js';
import { sendKeys } from './send-keys.js';

/** A key to be created. */
export type NewKey = Pick<
  Row<'key_logs'>,
  'product_id' | 'name' | 'receiver_identifier' | 'receiver_identifier_type' | 'plate_normalised'
>;

export interface NewKeys {
  keys: readonly NewKey[];
  /** The validity of all of them, in wall milliseconds. `end_time` null: open-ended. */
  start_time: number;
  end_time: number | null;
  is_unlimited: number;
  /** The operations that the weblinks allow. */
  operations: readonly ProductOperation[];
  /** The language for receivers by mail whose language is not known; null: no language is known. */
  locale: string | null;
  /** The user who gives the keys; null: no user. */
  sender_id: number | null;
  now: number;
  configChanged: ConfigChanged;
}

/**
 * Creates the keys in this transaction, and queues their mails. A key whose validity is over already is created as expired, and is not sent.
 * @returns the ids of the key logs, in the order of the keys
 * @throws ApiError VALIDATION on `product_id` for a product that was removed
 */
export async function issueKeys(tx: Tx, given: NewKeys): Promise<number[]> {
  const { keys, end_time, now } = given;
  const product_ids = [...new Set(keys.map(({ product_id }) => product_id))].toSorted((a, b) => a - b);
  await tx.lock(...product_ids.map(LOCKS.productKeys));
  const products = await keyProductsByIds(tx, product_ids);
  const made = keys.map((key) => {
    const product = products.get(key.product_id);
    if (product === undefined)
      throw new ApiError(VALIDATION, { field: 'product_id', message: 'There is no such thing' });
    return { ...key, product };
  });
  const isOver = end_time !== null && end_time <= now;
  const status = isOver ? 'expired' : 'active';
  const tokenIds = await insertTokens(
    tx,
    made.map(({ product }) => ({ ...tokenRow(given, product), status })),
  );
  const owned = made.map((key, at) => ({ ...key, operation_token_id: idAt(tokenIds, at) }));
  const logIds = await insertKeyLogs(
    tx,
    owned.map((key) => ({ ...commonRow(given, key), ...receiverColumns(key), status, deleted_at: null })),
  );
  const mailed = owned.flatMap((key, at) =>
    key.receiver_identifier_type === 'email'
      ? [{ ...key, key_log_id: idAt(logIds, at), weblinkId: generateWeblinkId() }]
      : [],
  );
  const receiverOf = await insertMailed(tx, given, mailed);
  if (!isOver) {
    const sender_name = await findSenderName(tx, given.sender_id);
    await sendKeys(
      tx,
      mailed.map((key) => ({ ...invitedKey(given, key), locale: receiverOf(key).locale, sender_name })),
      now,
    );
  }
  const lots = new Set(
    made.flatMap((key) => (key.receiver_identifier_type === 'license_plate' ? [key.product.lot_id] : [])),
  );
  tx.onCommit(() => {
    for (const lot_id of lots) given.configChanged({ lot_id }, ['plates']);
  });
  noteAudit(tx, {
    lot_id: lotOfAll(made.map(({ product }) => product)),
    details: { key_log_ids: logIds.slice(0, 100) },
  });
  return logIds;
}

/** @param ids of inserted rows, in the order of the keys */
function idAt(ids: readonly number[], at: number): number {
  const id = ids[at];
  if (id === undefined) throw new Error('A row of a key was not inserted');
  return id;
}

interface OwnedKey extends NewKey {
  product: KeyProduct;
  operation_token_id: number;
}

interface MailedKey extends OwnedKey {
  key_log_id: number;
  weblinkId: string;
}

/** @returns the receiver of each key */
async function insertMailed(
  tx: Tx,
  given: NewKeys,
  mailed: readonly MailedKey[],
): Promise<(key: OwnedKey) => KeyReceiver> {
  const { locale, now } = given;
  const known = new Map<number, Map<string, KeyReceiver>>();
  for (const account_id of new Set(mailed.map(({ product }) => product.account_id))) {
    const names = new Map(
      mailed.flatMap((key) =>
        key.product.account_id === account_id ? [[key.receiver_identifier, key.name] as const] : [],
      ),
    );
    const receivers = Array.from(names, ([email, name]) => ({ email, name }));
    known.set(account_id, await saveReceivers(tx, { account_id, receivers, locale, now }));
  }
  const receiverOf = ({ product, receiver_identifier }: OwnedKey): KeyReceiver => {
    const receiver = known.get(product.account_id)?.get(receiver_identifier);
    if (receiver === undefined) throw new Error('A receiver was not kept');
    return receiver;
  };
  await insertOperationKeys(
    tx,
    mailed.map((key) => ({ ...commonRow(given, key), receiver_id: receiverOf(key).id, deleted_at: null })),
  );
  await insertKeyWeblinks(
    tx,
    mailed.map((key) => weblinkRow(given, key)),
  );
  return receiverOf;
}

const timesOf = ({ now }: NewKeys) => ({ created_at: now, updated_at: now });

const tokenRow = (given: NewKeys, product: KeyProduct) => ({
  account_id: product.account_id,
  product_id: product.id,
  start_time: given.start_time,
  end_time: given.end_time,
  used_count: 0,
  is_unlimited: given.is_unlimited,
  credential_id: generateCredentialId(),
  deleted_at: null,
  ...timesOf(given),
});

const commonRow = (given: NewKeys, { name, product, operation_token_id }: OwnedKey) => ({
  account_id: product.account_id,
  name,
  sender_id: given.sender_id,
  product_id: product.id,
  operation_token_id,
  ...timesOf(given),
});

const receiverColumns = ({ receiver_identifier, receiver_identifier_type, plate_normalised }: NewKey) => ({
  receiver_identifier,
  receiver_identifier_type,
  plate_normalised,
});

const weblinkRow = (given: NewKeys, { name, product, operation_token_id, weblinkId }: MailedKey) => ({
  id: weblinkId,
  account_id: product.account_id,
  product_id: product.id,
  operation_token_id,
  name,
  operations: given.operations,
  start_time: given.start_time,
  end_time: given.end_time,
  used_count: 0,
  generation: 0,
  last_event_id: null,
  revoked_at: null,
  ...timesOf(given),
});

const invitedKey = (given: NewKeys, key: MailedKey): Omit<InvitedKey, 'sender_name' | 'locale'> => ({
  key_log_id: key.key_log_id,
  receiver_email: key.receiver_identifier,
  start_time: given.start_time,
  end_time: given.end_time,
  weblink: { id: key.weblinkId, generation: 0 },
  product: key.product,
});

/** Returns the lot for the audit entry; null: the products are in several lots. */
function lotOfAll(products: readonly KeyProduct[]): number | null {
  const lots = new Set(products.map(({ lot_id }) => lot_id));
  const [only = null] = lots;
  return lots.size === 1 ? only : null;
}
