/** What is known of a user of an account. */
import { z } from 'zod';
import { type Role, ROLE_IDS } from '../../kernel/auth/entry.js';
import { isCommonPassword } from '../../kernel/secrets/entry.js';
import {
  accountField,
  computed,
  emailValue,
  flagField,
  HIDDEN,
  id,
  identity,
  inner,
  namedReferencesTo,
  nameValueOf,
  optional,
  PASSWORD_LENGTH_MAX,
  required,
  shown,
  TIMES,
  withDefault,
} from '../../rest/entry.js';
import { ACCOUNT_ANSWER, roleSchema } from './account-fields.js';

const ROLES = Object.keys(ROLE_IDS) as [Role, ...Role[]];

export const userNameValue = nameValueOf(255);

const PASSWORD_LENGTH_MIN = 10;

export const GUESSABLE = 'must be harder to guess';

/** A password that a user gets, over REST or in a site file. What it must not be for this user is for whoever knows both. */
export const passwordValue = z
  .string()
  .min(PASSWORD_LENGTH_MIN)
  .max(PASSWORD_LENGTH_MAX)
  .refine((text) => text.trim() !== '', 'must not be blank')
  .refine((text) => text.length > PASSWORD_LENGTH_MAX || !isCommonPassword(text), GUESSABLE);

export const ACCOUNT_USER_FIELDS = {
  id: identity,
  /** 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: shown(id, { filter: true }),
  account_id: accountField({ filter: true }),
  /** Lower case, unique within its account. One person may have users in several accounts. */
  email: required(emailValue, { filter: 'person' }),
  /** Only its hash is stored. Left out: a new user has no password, and an existing one keeps its own. */
  password: optional(passwordValue, { columns: {}, form: HIDDEN }),
  /** argon2id in the PHC string format. */
  password_hash: inner('text'),
  name: required(userNameValue, { filter: 'person', sort: true }),
  /** In a site file; REST has `role_id`. */
  role: withDefault(z.enum(ROLES), 'Super Admin', {
    columns: { account_user_role_id: { from: (role: Role): number => ROLE_IDS[role] } },
    form: HIDDEN,
  }),
  phone: shown(z.string()),
  language_tag: shown(z.string(), { says: 'The language of the user, as BCP 47 has it.' }),
  country_code: shown(z.string(), { says: 'The country of the user, as two letters of ISO 3166.' }),
  email_confirmed: flagField(1, { says: 'Whether the email address is confirmed: 1 or 0.' }),
  ...TIMES,
  account: computed(ACCOUNT_ANSWER.schema),
  account_user_role: computed(roleSchema, { says: 'The role of the account user.' }),
  /** Left out of a site file: all lots of the account. */
  lots: namedReferencesTo('lots', {
    id: 'lot_ids',
    pairs: { table: 'account_user_lots', from: 'account_user_id', to: 'lot_id', isOrdered: false },
    isOptional: true,
    item: z.strictObject({ id, name: z.string(), address: z.string().describe('The street and number of the lot.') }),
    says: 'The lots that are assigned to the user.',
  }),
};
