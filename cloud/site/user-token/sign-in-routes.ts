/** /v2/auth/sign-ins: on which devices a user is signed in, and how the user ends that from another one. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { ALL_ROLES, type Caller, type TokenRevocations } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { datetime, type Endpoint, id, iso, protectedEndpoint } from '../../rest/entry.js';
import { LOGIN_TOKEN_TYPE } from './login.js';
import { deleteUserToken, endSignIns, findSignIn, signInsOf } from './user-token-queries.js';

const PATH = '/v2/auth/sign-ins';
const TAG = 'Authentication and tokens';

const signInSchema = z
  .strictObject({
    id,
    device: z.string().nullable().describe('As the device called itself; null when it did not.'),
    created_at: datetime,
    last_used_at: datetime.describe('When it was last used; a use is noted once an hour at most.'),
    is_current: z.boolean().describe('Whether this request came with it.'),
  })
  .openapi('SignIn');
const signInsSchema = z.array(signInSchema);
const endedSchema = z.strictObject({
  ended_count: z.number().int().describe('How many sign-ins were ended.'),
});

const represent = (
  {
    id: token,
    device,
    created_at,
    used_at,
  }: { id: number; device: string | null; created_at: number; used_at: number },
  { token_id }: Pick<Caller, 'token_id'>,
) => ({
  id: token,
  device,
  created_at: iso(created_at),
  last_used_at: iso(used_at),
  is_current: token === token_id,
});

/** The sign-ins of whoever asks: of a person only, as programs have none. */
export function signInEndpoints(deps: { store: CloudStore; revocations: TokenRevocations; clock: Clock }): Endpoint[] {
  const { store, revocations, clock } = deps;
  const own = { tag: TAG, roles: ALL_ROLES, userTokenOnly: true } as const;
  return [
    protectedEndpoint({
      method: 'get',
      path: PATH,
      summary: 'List the own sign-ins',
      ...own,
      answer: signInsSchema,
      async handle({ caller }) {
        const rows = await signInsOf(store.reader, { account_user_id: caller.user_id, now: clock.now() });
        return rows.map((row) => represent(row, caller));
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: `${PATH}/{id}`,
      auditAs: 'auth.end_sign_in',
      summary: 'End an own sign-in',
      ...own,
      answer: signInSchema,
      find: async ({ caller, ids }) =>
        (await findSignIn(store.reader, { id: ids.id, account_user_id: caller.user_id })) ?? null,
      async handle({ caller, found, change }) {
        await change(async (tx) => {
          noteAudit(tx, { target: `account user ${caller.user_id}`, details: { device: found.device } });
          if (!(await deleteUserToken(tx, found.id))) throw new ApiError(NOT_FOUND);
          tx.onCommit(() => revocations.revoke([{ kind: 'user', token_id: found.id }]));
        });
        return represent(found, caller);
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: PATH,
      auditAs: 'auth.end_other_sign_ins',
      summary: 'End all other own sign-ins',
      ...own,
      answer: endedSchema,
      handle: ({ caller: { user_id, token_id }, change }) =>
        change(async (tx) => {
          noteAudit(tx, { target: `account user ${user_id}` });
          const ended = await endSignIns(tx, { account_user_id: user_id, type: LOGIN_TOKEN_TYPE, except: [token_id] });
          tx.onCommit(() => revocations.revoke(ended.map((each) => ({ kind: 'user', token_id: each }))));
          return { ended_count: ended.length };
        }),
    }),
  ];
}
