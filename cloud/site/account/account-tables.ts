import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { ACCOUNT_FIELDS } from './account-fields.js';
import type { ACCOUNT_USER_FIELDS } from './account-user-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Pick<TablesOf<typeof ACCOUNT_BASELINE>, 'account_user_lots'> {
    accounts: TableOf<typeof ACCOUNT_FIELDS>;
    account_users: TableOf<typeof ACCOUNT_USER_FIELDS>;
  }
}

export const ACCOUNT_BASELINE = {
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
} satisfies Tables;
