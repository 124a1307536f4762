/** Reads what the page of a weblink shows. */
import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';

export interface PageLink {
  link: Row<'weblinks'>;
  /** The window of the link, and of the key that it was sent with: wall milliseconds. */
  start: number;
  end: number | null;
  /** Of the product's lot; UTC for one that is in none. */
  timezone: string;
}

/** Finds a link that was not revoked and whose key, if it has one, is neither blocked nor invalid; its window may be over. */
export async function findPageLink(db: Db, id: string): Promise<PageLink | null> {
  const row = await db
    .selectFrom('weblinks')
    .innerJoin('products', 'products.id', 'weblinks.product_id')
    .leftJoin('lots', 'lots.id', 'products.lot_id')
    .leftJoin('operation_tokens as key', 'key.id', 'weblinks.operation_token_id')
    .selectAll('weblinks')
    .select(['lots.timezone', 'key.status as key_status', 'key.start_time as key_start', 'key.end_time as key_end'])
    .where('weblinks.id', '=', id)
    .where('weblinks.revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { timezone, key_status, key_start, key_end, ...link } = row;
  if (link.operation_token_id !== null && key_status !== 'active' && key_status !== 'expired') return null;
  const ends = [link.end_time, key_end].filter((end) => end !== null);
  return {
    link,
    start: Math.max(link.start_time, key_start ?? 0),
    end: ends.length === 0 ? null : Math.min(...ends),
    timezone: timezone ?? 'UTC',
  };
}
