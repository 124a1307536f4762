import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface ApiTokensTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  token_hash: string;
  /** The highest role that the token may use: 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: Generated<number>;
  /** 0: the token sees the present lots of the user it acts as. 1: it sees only those of them that `api_token_lots` lists. */
  has_own_lots: Generated<number>;
  /** null: it never expires. */
  expires_at: Generated<number | null>;
}

interface ApiTokenLotsTable {
  api_token_id: number;
  lot_id: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    api_tokens: ApiTokensTable;
    api_token_lots: ApiTokenLotsTable;
  }
}

export const API_TOKEN_BASELINE: Tables = {
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
};
