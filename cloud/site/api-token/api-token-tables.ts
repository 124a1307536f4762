import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { API_TOKEN_FIELDS } from './api-token-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Pick<TablesOf<typeof API_TOKEN_BASELINE>, 'api_token_lots'> {
    api_tokens: TableOf<typeof API_TOKEN_FIELDS>;
  }
}

export const API_TOKEN_BASELINE = {
  api_tokens: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      token_hash: 'text',
      account_user_role_id: { type: 'integer', default: 1 },
      has_own_lots: { type: 'integer', default: 0 },
      expires_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['token_hash'], isUnique: true }, ['account_id']],
  },
  api_token_lots: {
    columns: {
      api_token_id: { partOf: 'api_tokens' },
      // A lot's history outlives the lot, and with it who may read it: the id refers to nothing.
      lot_id: 'integer',
    },
    primaryKey: ['api_token_id', 'lot_id'],
    indices: [['lot_id']],
  },
} satisfies Tables;
