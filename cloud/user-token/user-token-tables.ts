import type { Generated } from 'kysely';

interface UserTokensTable {
  id: Generated<number>;
  account_user_id: number;
  type: string;
  token_hash: string;
  created_at: number;
}

declare module '../store/schema.js' {
  interface Database {
    user_tokens: UserTokensTable;
  }
}
