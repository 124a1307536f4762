import { z } from '@hono/zod-openapi';
import { type AccountUsers, unknownLots } from '../../account/account-users.js';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../auth/caller.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { ACCOUNT_USER_LIST } from '../../store/lists/account-users-list.js';
import { findAccountUser } from '../../store/queries/account-users.js';
import { accountUserRecord, accountUserSchema } from '../account-resources.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { listEndpoint } from '../list-endpoint.js';
import { nameText, passwordText, plainText } from '../validation.js';

const LOTS_MAX = 10_000;

const phone = plainText(64);
const newUserSchema = z.strictObject({
  email: z
    .string()
    .max(320)
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.email('Must be an email address')),
  name: nameText,
  password: passwordText,
  /** 1 Super Admin, 2 Admin, 3 Attendant. */
  role_id: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  phone: phone.default(''),
  lot_ids: z.array(z.number().int().positive()).max(LOTS_MAX).default([]),
});
const changedUserSchema = z.strictObject({
  ...newUserSchema.partial().shape,
  phone: phone.optional(),
  lot_ids: newUserSchema.shape.lot_ids.unwrap().optional(),
});
const profileSchema = z.strictObject({
  name: nameText.optional(),
  phone: phone.optional(),
  password: passwordText.optional(),
  old_password: z.string().max(1_024).optional(),
});

/** /v2/account-users: the own profile for everybody, reading for Admins, everything for Super Admins. */
export function accountUserEndpoints(deps: { store: CloudStore; users: AccountUsers; clock: Clock }): Endpoint[] {
  const { store, users, clock } = deps;
  const tag = 'Account users';
  const readers = { tag, roles: ['Super Admin', 'Admin'] } as const;
  const writers = { tag, roles: ['Super Admin'], answer: accountUserSchema } as const;
  const find = ({ caller, ids }: { caller: { account_id: number }; ids: { id: number } }) =>
    findAccountUser(store.reader, { id: ids.id, account_id: caller.account_id });
  const checkLots = async ({ lot_ids }: Readonly<Record<string, unknown>>, { account_id }: { account_id: number }) => {
    const asked = Array.isArray(lot_ids) && lot_ids.length <= LOTS_MAX ? lot_ids : [];
    return unknownLots(store.reader, { account_id, lotIds: asked });
  };
  return [
    protectedEndpoint({
      method: 'patch',
      path: '/v2/account-users/profile',
      summary: "Change the own profile; a new password ends the user's other tokens",
      tag,
      roles: ALL_ROLES,
      body: profileSchema,
      answer: accountUserSchema,
      handle: async ({ caller, body }) => accountUserRecord(await users.changeProfile(caller, body)),
    }),
    listEndpoint({
      path: '/v2/account-users',
      summary: 'List account users',
      ...readers,
      store,
      clock,
      table: ACCOUNT_USER_LIST,
      item: accountUserSchema,
      items: (rows) => rows.map(accountUserRecord),
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/account-users/{id}',
      summary: 'Get an account user',
      ...readers,
      answer: accountUserSchema,
      find,
      handle: async ({ found }) => accountUserRecord(found),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/account-users',
      summary: 'Create an account user',
      ...writers,
      body: newUserSchema,
      checkIds: checkLots,
      handle: async ({ caller, body }) => accountUserRecord(await users.create(caller, body)),
    }),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/account-users/{id}',
      summary: 'Change an account user; a new password ends its tokens',
      ...writers,
      body: changedUserSchema,
      checkIds: checkLots,
      find,
      handle: async ({ caller, found, body }) => accountUserRecord(await users.change(caller, { found, body })),
    }),
    protectedEndpoint({
      method: 'delete',
      path: '/v2/account-users/{id}',
      summary: 'Delete an account user and its tokens',
      ...writers,
      find,
      handle: async ({ found }) => accountUserRecord(await users.remove(found)),
    }),
  ];
}
