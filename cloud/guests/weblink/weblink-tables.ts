import type { Tables } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { WEBLINK_FIELDS } from './weblink-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database {
    weblinks: TableOf<typeof WEBLINK_FIELDS>;
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
