/** What is known of an account. */
import { z } from 'zod';
import type { MoneyRight } from '../../kernel/auth/entry.js';
import type { TextWithDefault } from '../../kernel/store/entry.js';
import {
  always,
  computed,
  flagField,
  FLAG,
  id,
  identity,
  inFile,
  inner,
  nameValue,
  optional,
  optionalEmailValue,
  representationOf,
  required,
  shown,
  TIMES,
  times,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

const IMAGE_RETENTION_DAYS_MAX = 3_660;

export const roleSchema = z.strictObject({ id, name: z.string().describe('The name of the role.'), ...times });

export const ACCOUNT_FIELDS = {
  id: identity,
  account_role_id: shown(id),
  auto_extend: shown(FLAG, { says: 'Whether the subscription of the account goes on by itself: 1 or 0.' }),
  name: required(nameValue, { says: 'The name of the company or person that runs the car parks.' }),
  contact_name: shown(z.string(), { says: 'The name of the person to ask.' }),
  /** What a site file leaves out stays as a Super Admin has set it. */
  contact_email: optional(optionalEmailValue, { says: 'The email address of the person to ask.' }),
  contact_phone: shown(z.string(), { says: 'The telephone number of the person to ask.' }),
  billing_title: shown(z.string(), { says: 'The name on bills.' }),
  vat: shown(z.string(), { says: 'The number for value added tax.' }),
  address: shown(z.string(), { says: 'The street and number of the postal address.' }),
  city: shown(z.string(), { says: 'The town of the postal address.' }),
  zip_code: shown(z.string(), { says: 'The postal code.' }),
  ...TIMES,
  infinite_shares: shown(z.number().int(), { says: 'Whether keys may be given without a limit: 1 or 0.' }),
  account_role: computed(roleSchema, { says: 'The role of the account.' }),
  authorities: always(z.array(z.string()), [], { says: 'What the account may use.' }),
  /** Whether the subscription includes commands to products (error 30 without). */
  remote_control: inFile(flagField(1)),
  public_key_requests: inFile(flagField(0)),
  /** For how many days images are kept; null: as long as their readings. */
  image_retention_days: inFile(withDefault(wholeValue(1, IMAGE_RETENTION_DAYS_MAX).nullable(), null)),
  /**
   * Whether the console masks plates until a user asks to see them. Only `PATCH /v2/account` sets it: site files do not contain it, so
   * applying one never changes it.
   */
  mask_plates: inner({ type: 'integer', default: 0 }),
  /** The name that guests read; empty: the one above. */
  display_name: inner({ type: 'text', default: '' }),
  /** `#rrggbb`; null: none was chosen. */
  colour: inner('text null'),
  /** The name of the file of the logo; null: there is none. */
  logo: inner('text null'),
  /** What Attendants may do with money; likewise. */
  attendant_money: inner({ type: 'text', default: 'all' } as TextWithDefault<MoneyRight>),
};

/** It stands in the answers of its users. */
export const ACCOUNT_ANSWER = representationOf('Account', ACCOUNT_FIELDS);
