import type { NewRow } from '../../cloud/kernel/store/schema.js';

export function accountRow(name: string): NewRow<'accounts'> {
  const texts = { contact_name: '', contact_email: '', contact_phone: '', billing_title: '', vat: '' };
  const flags = { auto_extend: 0, infinite_shares: 0, remote_control: 1, public_key_requests: 0 };
  const place = { address: '', city: '', zip_code: '' };
  return { account_role_id: 1, name, ...texts, ...place, ...flags, created_at: 1, updated_at: 1 };
}

/** What of an account nobody has set, as the database stores it. */
export const UNSET_OF_ACCOUNT = {
  image_retention_days: null,
  mask_plates: 0,
  attendant_money: 'all',
  display_name: '',
  colour: null,
  logo: null,
};
