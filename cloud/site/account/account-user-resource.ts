/** Users of an account: in site files, and the list of REST. REST changes them by `account-users.ts`, with the same limits. */
import { isDatedWord } from '../../kernel/secrets/entry.js';
import { roleName } from '../../kernel/auth/entry.js';
import { type AnswerOf, defineResource, iso, listTable, representationOf, rule, userKey } from '../../rest/entry.js';
import { ACCOUNT_ANSWER } from './account-fields.js';
import { ACCOUNT_USER_FIELDS, GUESSABLE } from './account-user-fields.js';
import { type AccountUserDetails, accountUsersByIds, keepLotsOfWebhooks } from './account-user-queries.js';

/**
 * Why a password is none for this user; undefined: nothing is against it.
 * @param user.names of the user and of the account: with a year they are guessed as soon as a season is
 */
export function ownPasswordFault(password: string, { email, names }: { email: string; names: readonly string[] }) {
  if (password.trim().toLowerCase() === email.trim().toLowerCase()) return 'must not be the e-mail address';
  return isDatedWord(password, [email, ...names]) ? GUESSABLE : undefined;
}

export const ACCOUNT_USER_ANSWER = representationOf('AccountUser', ACCOUNT_USER_FIELDS);

/** Roles are part of the service and not of an account, so their times are 0. */
const ROLE_TIMES = { created_at: iso(0), updated_at: iso(0) };

export function representAccountUser({
  user,
  account,
  lots,
}: AccountUserDetails): AnswerOf<typeof ACCOUNT_USER_FIELDS> {
  const account_role = { id: account.account_role_id, name: 'Owner', ...ROLE_TIMES };
  const { account_user_role_id } = user;
  return ACCOUNT_USER_ANSWER.of(
    { ...user, lots },
    {
      account: ACCOUNT_ANSWER.of(account, { account_role }),
      account_user_role: { id: account_user_role_id, name: roleName(account_user_role_id), ...ROLE_TIMES },
    },
  );
}

export const ACCOUNT_USER = defineResource({
  table: 'account_users',
  one: 'user',
  many: 'users',
  fields: ACCOUNT_USER_FIELDS,
  rules: [
    rule(ACCOUNT_USER_FIELDS, ['email', 'password', 'name'], ({ email, password, name }) => {
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
  fields: ACCOUNT_USER_FIELDS,
  // The document lists it after the name.
  sorts: { email: 'account_users.email' },
  rows: accountUsersByIds,
});
