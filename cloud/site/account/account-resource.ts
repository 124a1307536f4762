/** Accounts in site files. */
import { defineResource } from '../../rest/entry.js';
import { ACCOUNT_FIELDS } from './account-fields.js';

export const ACCOUNT = defineResource({
  table: 'accounts',
  one: 'account',
  many: 'accounts',
  fields: ACCOUNT_FIELDS,
  initially: () => ({
    account_role_id: 1,
    auto_extend: 0,
    contact_name: '',
    contact_email: '',
    contact_phone: '',
    billing_title: '',
    vat: '',
    address: '',
    city: '',
    zip_code: '',
    infinite_shares: 0,
  }),
  unique: [{ field: 'name', within: 'everywhere' }],
  file: { at: [] },
});
