import { sql } from 'kysely';
import type { JsonColumn, Schema, Tables, TablesOf, Text } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof USER_TOKEN_BASELINE>, 'user_tokens'> {
    user_tokens: TablesOf<typeof USER_TOKEN_BASELINE>['user_tokens'] & TablesOf<typeof NAMED_SIGN_INS>['user_tokens'];
  }
}

export const USER_TOKEN_BASELINE = {
  user_tokens: {
    columns: {
      id: 'id',
      account_user_id: { partOf: 'account_users' },
      type: 'text',
      token_hash: 'text',
      created_at: 'bigint',
      /** When the token expires unless it is used again. */
      expires_at: 'bigint',
    },
    indices: [{ columns: ['token_hash'], isUnique: true }, ['account_user_id', 'type'], ['expires_at']],
  },
  /** The networks from which a user has signed in. From there the user can sign in even while others guess the password. */
  sign_in_networks: {
    columns: {
      account_user_id: { partOf: 'account_users' },
      /** An IPv4 address, or the network of 64 bits of an IPv6 address (`addressNetwork`). */
      network: 'text',
      /** When the user last signed in from it. */
      used_at: 'bigint',
    },
    primaryKey: ['account_user_id', 'network'],
    indices: [['used_at']],
  },
  /** Failed sign-ins of a user within about an hour. They are counted so that the audit log gets a few entries instead of one for each. */
  sign_in_failures: {
    columns: {
      account_user_id: { partOf: 'account_users' },
      account_id: { partOf: 'accounts' },
      /** The address of the last failure. */
      address: 'text',
      /** The time of the first failure. */
      began_at: 'bigint',
      failures_count: 'integer',
      /** The count that the last audit entry states. */
      audited_count: 'integer',
      /** The networks that have an audit entry of their own. */
      audited_networks: { type: 'text', default: '[]' } as Text<JsonColumn<string[]>>,
    },
    primaryKey: ['account_user_id'],
    indices: [['account_id'], ['began_at']],
  },
} satisfies Tables;

/** What a sign-in of several is known by. */
export const SIGN_IN_COLUMNS = {
  /** As the device called itself; null: it did not, and is the only one. */
  device: 'text null',
  /** When a use of it was last stored. */
  used_at: { type: 'bigint', default: 0 },
} as const;

const NAMED_SIGN_INS = { user_tokens: { columns: SIGN_IN_COLUMNS } } satisfies Tables;

/** Of the sign-ins from before nothing but their beginning is known for sure. */
export async function noteFirstUses(db: Schema): Promise<void> {
  await sql`update user_tokens set used_at = created_at`.execute(db);
}
