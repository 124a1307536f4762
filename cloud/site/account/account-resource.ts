/** Accounts in site files. */
import {
  defineResource,
  flagValue,
  nameValue,
  optionalEmailValue,
  required,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

const IMAGE_RETENTION_DAYS_MAX = 3_660;

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
    /** For how many days images are kept; null: as long as their readings. */
    image_retention_days: withDefault(wholeValue(1, IMAGE_RETENTION_DAYS_MAX).nullable(), null),
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
