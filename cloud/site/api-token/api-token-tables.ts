import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

interface ApiTokensTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  token_hash: string;
  /** The role that the token has at most: 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: Generated<number>;
  /** 0: its lots are those of the user it acts as, as they change. 1: only `api_token_lots` of them. */
  has_own_lots: Generated<number>;
  /** null: never. */
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
