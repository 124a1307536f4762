import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface AccountsTable extends Timestamps {
  id: Generated<number>;
  account_role_id: number;
  name: string;
  auto_extend: number;
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  billing_title: string;
  vat: string;
  address: string;
  city: string;
  zip_code: string;
  infinite_shares: number;
  /** Subscription includes remote control (error 30 without). */
  remote_control: number;
  public_key_requests: number;
  /** For how many days images are kept; null: as long as their readings. */
  image_retention_days: number | null;
  /**
   * Whether the console masks plates until a user asks to see them. Only REST sets it: site files do not contain it, so applying one never
   * changes it.
   */
  mask_plates: Generated<number>;
}

interface AccountUsersTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: number;
  /** Lower case, unique within its account. One person may have users in several accounts. */
  email: string;
  name: string;
  phone: string;
  language_tag: string;
  country_code: string;
  email_confirmed: number;
  /** argon2id in the PHC string format. */
  password_hash: string;
}

interface AccountUserLotsTable {
  account_user_id: number;
  lot_id: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    accounts: AccountsTable;
    account_users: AccountUsersTable;
    account_user_lots: AccountUserLotsTable;
  }
}

export const ACCOUNT_BASELINE: Tables = {
  accounts: {
    columns: {
      id: 'id',
      account_role_id: 'integer',
      name: 'text',
      auto_extend: 'integer',
      contact_name: 'text',
      contact_email: 'text',
      contact_phone: 'text',
      billing_title: 'text',
      vat: 'text',
      address: 'text',
      city: 'text',
      zip_code: 'text',
      infinite_shares: 'integer',
      remote_control: 'integer',
      public_key_requests: 'integer',
      image_retention_days: 'integer null',
      mask_plates: { type: 'integer', default: 0 },
      created_at: 'bigint',
      updated_at: 'bigint',
    },
  },
  account_users: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      account_user_role_id: 'integer',
      email: 'text',
      name: 'text',
      phone: 'text',
      language_tag: 'text',
      country_code: 'text',
      email_confirmed: 'integer',
      password_hash: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      ['account_id'],
      { columns: ['account_id', 'email'], isUnique: true },
      // A sign-in says no account.
      ['email'],
    ],
  },
  account_user_lots: {
    columns: {
      account_user_id: { partOf: 'account_users' },
      // An assignment outlives its lot, because who saw the lot sees its history: the id refers to nothing.
      lot_id: 'integer',
    },
    primaryKey: ['account_user_id', 'lot_id'],
    indices: [['lot_id']],
  },
};
