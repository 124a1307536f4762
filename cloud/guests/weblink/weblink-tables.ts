import type { JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';

interface WeblinksTable extends Timestamps {
  /** 12 or more of A-Za-z0-9_-. The URL of the link contains it. */
  id: string;
  account_id: number;
  product_id: number;
  /** The key that the link was sent with. The link stops working when that key does. null: it was not sent with a key. */
  operation_token_id: number | null;
  name: string;
  /** The allowed operations; the words are those of the state call. */
  operations: JsonColumn<ProductOperation[]>;
  start_time: number;
  /** null: open-ended. */
  end_time: number | null;
  used_count: number;
  /** The token is derived from id and generation, so a new generation means a new token. */
  generation: number;
  /** The event_id of the last command that was given with the link; null: none. */
  last_event_id: string | null;
  revoked_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    weblinks: WeblinksTable;
  }
}

export const WEBLINK_BASELINE: Tables = {
  weblinks: {
    columns: {
      id: 'key',
      account_id: { partOf: 'accounts' },
      product_id: { partOf: 'products' },
      operation_token_id: { partOf: 'operation_tokens', isNullable: true },
      name: 'text',
      operations: 'text',
      start_time: 'bigint',
      end_time: 'bigint null',
      used_count: 'integer',
      generation: 'integer',
      revoked_at: 'bigint null',
      last_event_id: 'text null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['product_id'], ['operation_token_id']],
  },
};
