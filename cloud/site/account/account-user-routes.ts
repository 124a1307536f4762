import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  emailValue,
  type Endpoint,
  idsValue,
  LIST_MAX,
  listEndpoint,
  oneLine,
  PASSWORD_LENGTH_MAX,
  protectedEndpoint,
} from '../../rest/entry.js';
import { passwordValue, userNameValue } from './account-user-fields.js';
import { findAccountUser } from './account-user-queries.js';
import { ACCOUNT_USER_ANSWER, ACCOUNT_USER_LIST, representAccountUser } from './account-user-resource.js';
import { type AccountUsers, unknownLots } from './account-users.js';

const phone = oneLine(z.string().max(64));

/** Users must give their present password to change it, so that an open session is not enough. */
const oldPassword = z.string().max(PASSWORD_LENGTH_MAX).optional();

const newUserSchema = z.strictObject({
  email: z
    .string()
    .max(320)
    .transform((text) => text.trim())
    .pipe(emailValue),
  name: userNameValue,
  password: passwordValue,
  role_id: z
    .union([z.literal(1), z.literal(2), z.literal(3)])
    .describe('The role: 1 Super Admin, 2 Admin, 3 Attendant.'),
  phone: phone.default(''),
  lot_ids: idsValue.default([]),
});
const changedUserSchema = z.strictObject({
  ...newUserSchema.partial().shape,
  phone: phone.optional(),
  lot_ids: newUserSchema.shape.lot_ids.unwrap().optional(),
  old_password: oldPassword,
});
const profileSchema = z.strictObject({
  name: userNameValue.optional(),
  phone: phone.optional(),
  password: passwordValue.optional(),
  old_password: oldPassword,
});

/** Returns the lots to check. A body with too many lots is refused by its schema. */
const askedLots = (lot_ids: unknown): readonly unknown[] =>
  Array.isArray(lot_ids) && lot_ids.length <= LIST_MAX ? lot_ids : [];

const TAG = 'Account users';

const profileEndpoint = (users: AccountUsers): Endpoint =>
  protectedEndpoint({
    method: 'patch',
    path: '/v2/account-users/profile',
    summary: 'Change the own profile',
    tag: TAG,
    roles: ALL_ROLES,
    userTokenOnly: true,
    body: profileSchema,
    ownId: ({ user_id }) => user_id,
    answer: ACCOUNT_USER_ANSWER.schema,
    handle: async ({ caller, body, change }) => representAccountUser(await users.changeProfile(change, caller, body)),
  });

/**
 * /v2/account-users: everybody changes their own profile, Admins read users, Super Admins do everything. API tokens can only read, so that
 * the holder of a token cannot create a user to sign in as.
 */
export function accountUserEndpoints(deps: { store: CloudStore; users: AccountUsers; clock: Clock }): Endpoint[] {
  const { store, users, clock } = deps;
  const readers = { tag: TAG, roles: ['Super Admin', 'Admin'] } as const;
  const writers = {
    tag: TAG,
    roles: ['Super Admin'],
    userTokenOnly: true,
    answer: ACCOUNT_USER_ANSWER.schema,
  } as const;
  const find = ({ caller, ids }: { caller: { account_id: number }; ids: { id: number } }) =>
    findAccountUser(store.reader, { id: ids.id, account_id: caller.account_id });
  const checkLots = ({ lot_ids }: Readonly<Record<string, unknown>>, { account_id }: { account_id: number }) =>
    unknownLots(store.reader, { account_id, lotIds: askedLots(lot_ids) });
  return [
    profileEndpoint(users),
    listEndpoint({
      path: '/v2/account-users',
      summary: 'List account users',
      ...readers,
      store,
      clock,
      table: ACCOUNT_USER_LIST,
      item: ACCOUNT_USER_ANSWER.schema,
      items: (rows) => rows.map(representAccountUser),
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/account-users/{id}',
      summary: 'Get an account user',
      ...readers,
      answer: ACCOUNT_USER_ANSWER.schema,
      find,
      handle: async ({ found }) => representAccountUser(found),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/account-users',
      summary: 'Create an account user',
      ...writers,
      body: newUserSchema,
      checkIds: checkLots,
      handle: async ({ caller, body, change }) => representAccountUser(await users.create(change, caller, body)),
    }),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/account-users/{id}',
      summary: 'Change an account user',
      ...writers,
      body: changedUserSchema,
      checkIds: checkLots,
      find,
      handle: async ({ caller, found, body, change }) =>
        representAccountUser(await users.update(change, caller, { found, body })),
    }),
    protectedEndpoint({
      method: 'delete',
      path: '/v2/account-users/{id}',
      summary: 'Delete an account user and its tokens',
      ...writers,
      find,
      handle: async ({ found, change }) => representAccountUser(await users.remove(change, found)),
    }),
  ];
}
