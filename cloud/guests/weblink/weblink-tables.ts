import type { JsonColumn, Timestamps } from '../../kernel/entry.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';

interface WeblinksTable extends Timestamps {
  /** 12 or more of A-Za-z0-9_-; the link contains it. */
  id: string;
  account_id: number;
  product_id: number;
  /** The key with which it was sent; the link works no longer than that key. null: it was sent without a key. */
  operation_token_id: number | null;
  name: string;
  /** Operations of the state call. */
  operations: JsonColumn<ProductOperation[]>;
  start_time: number;
  /** null: open-ended. */
  end_time: number | null;
  used_count: number;
  /** The token is derived from id and generation, so the next generation has another token. */
  generation: number;
  /** The event_id of the last command that was given with it; null: none. */
  last_event_id: string | null;
  revoked_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    weblinks: WeblinksTable;
  }
}
