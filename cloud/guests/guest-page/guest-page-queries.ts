/** Reads what a weblink's page shows, and stores the language in which the page was read. */
import { placeOfLot } from '../../site/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';

export interface PageLink {
  link: Row<'weblinks'>;
  /** The validity of the link, or of the key that it was sent with, in wall milliseconds. */
  start: number;
  end: number | null;
  /** The time zone of the product's lot; UTC when it is in no lot. */
  timezone: string;
  /** The lot's name and address; empty when the product is in no lot. */
  place: string;
}

/**
 * Finds a link whose page may show anything: the link was not revoked, and its key, if it has one, is active, or expired because its window
 * ended. A key that expired before its window ended was ended by a person. Its page shows nothing, as for a blocked key.
 */
export async function findPageLink(db: Db, { id, now }: { id: string; now: number }): Promise<PageLink | null> {
  const row = await db
    .selectFrom('weblinks')
    .innerJoin('products', 'products.id', 'weblinks.product_id')
    .leftJoin('lots', 'lots.id', 'products.lot_id')
    .leftJoin('operation_tokens as key', 'key.id', 'weblinks.operation_token_id')
    .selectAll('weblinks')
    .select(['lots.name as lot_name', 'lots.address'])
    .select(['lots.timezone', 'key.status as key_status', 'key.start_time as key_start', 'key.end_time as key_end'])
    .where('weblinks.id', '=', id)
    .where('weblinks.revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { lot_name, address, timezone, key_status, key_start, key_end, ...link } = row;
  const isKeyOver = key_status === 'expired' && key_end !== null && key_end <= now;
  if (link.operation_token_id !== null && key_status !== 'active' && !isKeyOver) return null;
  const ends = [link.end_time, key_end].filter((end) => end !== null);
  return {
    link,
    start: Math.max(link.start_time, key_start ?? 0),
    end: ends.length === 0 ? null : Math.min(...ends),
    timezone: timezone ?? 'UTC',
    place: placeOfLot(lot_name, address),
  };
}

/**
 * Finds the receiver to whom the key of a link was mailed, if another language or none is stored for them. @returns the receiver's id; null:
 * nothing to store
 */
export async function receiverOfOtherLanguage(
  db: Db,
  { operation_token_id, language }: { operation_token_id: number; language: string },
): Promise<number | null> {
  const row = await db
    .selectFrom('operation_keys')
    .innerJoin('key_receivers', 'key_receivers.id', 'operation_keys.receiver_id')
    .select(['key_receivers.id', 'key_receivers.locale'])
    .where('operation_keys.operation_token_id', '=', operation_token_id)
    .executeTakeFirst();
  return row === undefined || row.locale === language ? null : row.id;
}

export async function saveReceiverLanguage(tx: Db, receiver: { id: number; language: string }): Promise<void> {
  await tx.updateTable('key_receivers').set({ locale: receiver.language }).where('id', '=', receiver.id).execute();
}
