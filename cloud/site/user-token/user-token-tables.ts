import type { Generated } from 'kysely';
import type { JsonColumn } from '../../kernel/entry.js';

interface UserTokensTable {
  id: Generated<number>;
  account_user_id: number;
  type: string;
  token_hash: string;
  created_at: number;
  /** When it ends unless it is used again; null: it was made before tokens ended, and the service has not started since. */
  expires_at: Generated<number | null>;
}

/** The networks from which a user signed in, so that the user gets in from there while others guess the password. */
interface SignInNetworksTable {
  account_user_id: number;
  /** An IPv4 address, or the network of 64 bits of an IPv6 address (`addressShareKey`). */
  network: string;
  /** The last time. */
  used_at: number;
}

/** Failed sign-ins of a user within about an hour, so that the audit log has a few entries of them and not one for each. */
interface SignInFailuresTable {
  account_user_id: number;
  account_id: number;
  /** From where the last one came. */
  address: string;
  /** The first one. */
  began_at: number;
  failures_count: number;
  /** How many the audit log knows of. */
  audited_count: number;
  /** From which of the networks the audit log has entries. */
  audited_networks: JsonColumn<string[]>;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    user_tokens: UserTokensTable;
    sign_in_networks: SignInNetworksTable;
    sign_in_failures: SignInFailuresTable;
  }
}
