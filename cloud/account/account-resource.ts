/** Accounts in site files. */
import { required, withDefault } from '../resource/field.js';
import { defineResource } from '../resource/resource.js';
import { flagValue, nameValue, optionalEmailValue } from '../resource/values.js';

export const ACCOUNT = defineResource({
  table: 'accounts',
  one: 'account',
  many: 'accounts',
  fields: {
    name: required(nameValue),
    contact_email: withDefault(optionalEmailValue, ''),
    /** Whether the subscription includes commands to products. */
    remote_control: withDefault(flagValue, 1),
    public_key_requests: withDefault(flagValue, 0),
  },
  initially: () => ({
    account_role_id: 1,
    auto_extend: 0,
    contact_name: '',
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
