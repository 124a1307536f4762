import type { Generated } from 'kysely';
import type { JsonColumn, Tables } from '../../kernel/store/entry.js';

interface UserTokensTable {
  id: Generated<number>;
  account_user_id: number;
  type: string;
  token_hash: string;
  created_at: number;
  /** When the token expires unless it is used again. */
  expires_at: number;
}

/** The networks from which a user has signed in. From there the user can sign in even while others guess the password. */
interface SignInNetworksTable {
  account_user_id: number;
  /** An IPv4 address, or the network of 64 bits of an IPv6 address (`addressNetwork`). */
  network: string;
  /** When the user last signed in from it. */
  used_at: number;
}

/** Failed sign-ins of a user within about an hour. They are counted so that the audit log gets a few entries instead of one for each. */
interface SignInFailuresTable {
  account_user_id: number;
  account_id: number;
  /** The address of the last failure. */
  address: string;
  /** The time of the first failure. */
  began_at: number;
  failures_count: number;
  /** The count that the last audit entry states. */
  audited_count: number;
  /** The networks that have an audit entry of their own. */
  audited_networks: JsonColumn<string[]>;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    user_tokens: UserTokensTable;
    sign_in_networks: SignInNetworksTable;
    sign_in_failures: SignInFailuresTable;
  }
}

export const USER_TOKEN_BASELINE: Tables = {
  user_tokens: {
    columns: {
      id: 'id',
      account_user_id: { partOf: 'account_users' },
      type: 'text',
      token_hash: 'text',
      created_at: 'bigint',
      expires_at: 'bigint',
    },
    indices: [{ columns: ['token_hash'], isUnique: true }, ['account_user_id', 'type'], ['expires_at']],
  },
  sign_in_networks: {
    columns: {
      account_user_id: { partOf: 'account_users' },
      network: 'text',
      used_at: 'bigint',
    },
    primaryKey: ['account_user_id', 'network'],
    indices: [['used_at']],
  },
  sign_in_failures: {
    columns: {
      account_user_id: { partOf: 'account_users' },
      account_id: { partOf: 'accounts' },
      address: 'text',
      began_at: 'bigint',
      failures_count: 'integer',
      audited_count: 'integer',
      audited_networks: { type: 'text', default: '[]' },
    },
    primaryKey: ['account_user_id'],
    indices: [['account_id'], ['began_at']],
  },
};
