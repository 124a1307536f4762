/** Reads and writes which credentials products have to refuse, and which of them have confirmed it; ends all keys of a product. */
import { inPieces } from '../../../shared/grouping.js';
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { withdrawKeyMails } from '../../site/entry.js';

const IDS_PER_STATEMENT = 500;

export type TokenDenial = Row<'token_denials'>;

/**
 * Notes that the present credentials of active tokens are no longer good. Call it before the tokens get another status or credential_id.
 * A product without a master key has no credentials, and refuses by itself those whose time is over.
 */
export async function denyCredentials(
  tx: Db,
  denied: { operation_token_ids: readonly number[]; now: number },
): Promise<void> {
  const { operation_token_ids, now } = denied;
  if (operation_token_ids.length === 0) return;
  const tokens = await tx
    .selectFrom('operation_tokens')
    .innerJoin('products', 'products.id', 'operation_tokens.product_id')
    .select(['operation_tokens.id', 'operation_tokens.product_id', 'credential_id', 'end_time'])
    .where('operation_tokens.id', 'in', operation_token_ids)
    .where('operation_tokens.status', '=', 'active')
    .where((eb) => eb.or([eb('end_time', 'is', null), eb('end_time', '>', now)]))
    .where('products.master_key_sealed', 'is not', null)
    .execute();
  if (tokens.length === 0) return;
  const rows = tokens.map(({ id, product_id, credential_id, end_time }) => ({
    operation_token_id: id,
    product_id,
    credential_id,
    ends_at: end_time,
    generation: null,
    sent_serial: null,
    sent_at: null,
    sent_count: 0,
    delivered_at: null,
    created_at: now,
    updated_at: now,
  }));
  await tx.insertInto('token_denials').values(rows).execute();
}

/** Lists the denials that products have not confirmed, the oldest first. Credentials whose time is over are left out. */
export async function pendingDenialsOf(
  db: Db,
  wanted: { product_ids: readonly number[]; now: number },
): Promise<TokenDenial[]> {
  if (wanted.product_ids.length === 0) return [];
  return db
    .selectFrom('token_denials')
    .selectAll()
    .where('product_id', 'in', wanted.product_ids)
    .where('delivered_at', 'is', null)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', wanted.now)]))
    .orderBy('id')
    .execute();
}

export async function saveDenialSent(
  tx: Db,
  denial: Pick<TokenDenial, 'id' | 'sent_serial' | 'sent_count'> & { now: number },
): Promise<void> {
  const { id, sent_serial, sent_count, now } = denial;
  const set = { sent_serial, sent_count, sent_at: now, updated_at: now };
  await tx.updateTable('token_denials').set(set).where('id', '=', id).execute();
}

/** The product refused the record that was sent. Its answer counts once. */
export async function saveDenialRefused(tx: Db, denial: { id: number; now: number }): Promise<void> {
  const set = { sent_serial: null, updated_at: denial.now };
  await tx.updateTable('token_denials').set(set).where('id', '=', denial.id).execute();
}

/** @param denial.sent_at as if it had been sent then: what follows counts from it */
export async function saveDenialUndelivered(
  tx: Db,
  denial: { id: number; sent_at: number; now: number },
): Promise<void> {
  const set = { sent_serial: null, sent_at: denial.sent_at, updated_at: denial.now };
  await tx.updateTable('token_denials').set(set).where('id', '=', denial.id).execute();
}

/** Has the product's generation raised instead of the denials that are pending now. */
export async function saveDenialsRaised(
  tx: Db,
  raised: { product_id: number; generation: number; now: number },
): Promise<void> {
  const { product_id, generation, now } = raised;
  await tx
    .updateTable('token_denials')
    .set({ generation, sent_serial: null, sent_at: null, updated_at: now })
    .where('product_id', '=', product_id)
    .where('delivered_at', 'is', null)
    .execute();
}

/** The product confirmed the denial, or the generation that stands for it and for all others which it replaced. */
export async function saveDenialDelivered(
  tx: Db,
  denial: Pick<TokenDenial, 'id' | 'product_id' | 'generation'> & { now: number },
): Promise<void> {
  const { id, product_id, generation, now } = denial;
  await tx
    .updateTable('token_denials')
    .set({ delivered_at: now, updated_at: now })
    .where('product_id', '=', product_id)
    .where('delivered_at', 'is', null)
    .where((eb) => (generation === null ? eb('id', '=', id) : eb('generation', '<=', generation)))
    .execute();
}

/** Removes the pending denials of a product that is deleted, or whose new pairing has ended all credentials. */
export async function forgetDenials(tx: Db, product_id: number): Promise<void> {
  await tx.deleteFrom('token_denials').where('product_id', '=', product_id).where('delivered_at', 'is', null).execute();
  await tx.updateTable('products').set({ guest_generation: 0 }).where('id', '=', product_id).execute();
}

/** Finds the denial of a token's present credential; undefined: there is none. */
export function denialOfToken(
  db: Db,
  token: { id: number; credential_id: number },
): Promise<Pick<TokenDenial, 'delivered_at' | 'ends_at'> | undefined> {
  return db
    .selectFrom('token_denials')
    .select(['delivered_at', 'ends_at'])
    .where('operation_token_id', '=', token.id)
    .where('credential_id', '=', token.credential_id)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/**
 * Marks all keys of a product as invalid: it is being deleted or paired again. From then on no key is made of it, or becomes active, unless it
 * is still there.
 */
export async function invalidateTokensOfProduct(tx: Tx, product: { id: number; now: number }): Promise<void> {
  const { id, now } = product;
  await tx.lock(LOCKS.productKeys(id));
  await forgetDenials(tx, id);
  const invalid = await tx
    .updateTable('operation_tokens')
    .set({ status: 'invalid', updated_at: now })
    .where('product_id', '=', id)
    .where('status', '!=', 'invalid')
    .returning('id')
    .execute();
  const token_ids = invalid.map((token) => token.id);
  await markKeyLogs(tx, { token_ids, status: 'invalid', now });
  await withdrawKeyMails(tx, { operation_token_ids: token_ids, now });
}

/** Gives the key logs of these tokens another status; those that are deleted stay so. */
export async function markKeyLogs(
  tx: Db,
  marked: { token_ids: number[]; status: 'expired' | 'invalid'; now: number },
): Promise<void> {
  for (const token_ids of inPieces(marked.token_ids, IDS_PER_STATEMENT)) {
    await tx
      .updateTable('key_logs')
      .set({ status: marked.status, updated_at: marked.now })
      .where('operation_token_id', 'in', token_ids)
      .where('deleted_at', 'is', null)
      .execute();
  }
}
