/** Users of an account: in site files, and the list of REST. REST changes them by `account-users.ts`, with the same limits. */
import { z } from 'zod';
import { isCommonPassword, isDatedWord } from '../../kernel/secrets/entry.js';
import { type Role, ROLE_IDS } from '../../kernel/auth/entry.js';
import {
  defineResource,
  emailValue,
  flagValue,
  integerField,
  listTable,
  nameValueOf,
  optional,
  PASSWORD_LENGTH_MAX,
  personField,
  referencesTo,
  required,
  rule,
  userKey,
  withDefault,
} from '../../rest/entry.js';
import { accountUsersByIds, keepLotsOfWebhooks } from './account-user-queries.js';

const ROLES = Object.keys(ROLE_IDS) as [Role, ...Role[]];

export const userNameValue = nameValueOf(255);

const PASSWORD_LENGTH_MIN = 10;

const GUESSABLE = 'must be harder to guess';

/** A password that a user gets, over REST or in a site file. What it must not be for this user is for whoever knows both. */
export const passwordValue = z
  .string()
  .min(PASSWORD_LENGTH_MIN)
  .max(PASSWORD_LENGTH_MAX)
  .refine((text) => text.trim() !== '', 'must not be blank')
  .refine((text) => text.length > PASSWORD_LENGTH_MAX || !isCommonPassword(text), GUESSABLE);

/**
 * Why a password is none for this user; undefined: nothing is against it.
 * @param user.names of the user and of the account: with a year they are guessed as soon as a season is
 */
export function ownPasswordFault(password: string, { email, names }: { email: string; names: readonly string[] }) {
  if (password.trim().toLowerCase() === email.trim().toLowerCase()) return 'must not be the e-mail address';
  return isDatedWord(password, [email, ...names]) ? GUESSABLE : undefined;
}

const fields = {
  email: required(emailValue),
  /** Only its hash is stored. Left out: a new user has no password, and an existing one keeps its own. */
  password: optional(passwordValue, { columns: {} }),
  name: required(userNameValue),
  role: withDefault(z.enum(ROLES), 'Super Admin', {
    columns: { account_user_role_id: { from: (role: (typeof ROLES)[number]) => ROLE_IDS[role] } },
  }),
  email_confirmed: withDefault(flagValue, 1),
  /** Left out: all lots of the account. */
  lots: referencesTo('lots', {
    id: 'lot_ids',
    pairs: { table: 'account_user_lots', from: 'account_user_id', to: 'lot_id', isOrdered: false },
    isOptional: true,
  }),
};

export const ACCOUNT_USER = defineResource({
  table: 'account_users',
  one: 'user',
  many: 'users',
  fields,
  rules: [
    rule(fields, ['email', 'password', 'name'], ({ email, password, name }) => {
      const reason = password === undefined ? undefined : ownPasswordFault(password, { email, names: [name] });
      return reason === undefined ? [] : [{ field: 'password', reason }];
    }),
  ],
  initially: () => ({ phone: '', language_tag: 'en', country_code: '', password_hash: '' }),
  unique: [{ field: 'email', within: 'account', column: 'email', normalise: lowerCase, isShownAsGiven: true }],
  deletion: { before: keepLotsOfWebhooks },
  file: {
    at: ['users'],
    declare({ email }, { passwordHashes, account }) {
      const password_hash = passwordHashes.get(userKey(account, String(email)));
      return { ...(password_hash === undefined ? {} : { values: { password_hash } }), unlisted: 'all of the account' };
    },
  },
});

function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** GET /v2/account-users */
export const ACCOUNT_USER_LIST = listTable({
  from: 'account_users',
  id: 'account_users.id',
  scope: { account_id: 'account_users.account_id' },
  filters: {
    name: personField('account_users.name'),
    email: personField('account_users.email'),
    account_id: integerField('account_users.account_id'),
    account_user_role_id: integerField('account_users.account_user_role_id'),
  },
  sorts: { name: 'account_users.name', email: 'account_users.email' },
  rows: accountUsersByIds,
});
