import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

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
  /** For how many days pictures are kept; null: as long as their readings. */
  image_retention_days: number | null;
  /** The console shows plates only to who asks for them. Settled over REST alone: a site file does not name it, so that applying one changes nothing. */
  mask_plates: Generated<number>;
}

interface AccountUsersTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: number;
  /** Lower case, unique in its account: a person may have a user in several. */
  email: string;
  name: string;
  phone: string;
  language_tag: string;
  country_code: string;
  email_confirmed: number;
  /** argon2id, PHC text. */
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
