import type { Generated } from 'kysely';
import type { Timestamps } from '../store/schema.js';

interface ApiTokensTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  token_hash: string;
}

declare module '../store/schema.js' {
  interface Database {
    api_tokens: ApiTokensTable;
  }
}
