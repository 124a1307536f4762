import { EMAIL_NOT_CONFIRMED, TOO_MANY_REQUESTS, WRONG_CREDENTIALS } from '../../../shared/errors.js';
import { z } from '@hono/zod-openapi';
import { addressNetwork } from '../../../shared/address-seats.js';
import { ALL_ROLES, type TokenRevocations } from '../../kernel/auth/entry.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  type Endpoint,
  id,
  nameValueOf,
  oneLine,
  PASSWORD_LENGTH_MAX,
  protectedEndpoint,
  publicEndpoint,
  successSchema,
} from '../../rest/entry.js';
import type { KnownUsers, Login } from './login.js';
import { deleteUserToken } from './user-token-queries.js';

const TAG = 'Authentication and tokens';

/** Failures are counted by the e-mail as it was sent. Without a limit, long texts would fill the memory. */
const EMAIL_LENGTH_MAX = 254;
const DEVICE_LENGTH_MAX = 100;

/** Such as `Firefox on Windows`. */
const deviceValue = nameValueOf(DEVICE_LENGTH_MAX);

const loginBody = z.strictObject({
  email: oneLine(z.string().max(EMAIL_LENGTH_MAX)),
  password: z.string().max(PASSWORD_LENGTH_MAX).describe('The password of the account user.'),
  device: deviceValue
    .optional()
    .describe('What the device is called: with it the user stays signed in on other devices, on ten at most.'),
});

const userTokenSchema = z
  .strictObject({
    id,
    type: z.string().describe('The kind of token: `user`.'),
    token: z.string(),
    name: z.string().describe('The name of the account user.'),
    email: z.string(),
    account_id: id,
    account_role_id: id,
    account_user_role_id: id,
    account_user_id: id.describe('The account user.'),
  })
  .openapi('UserToken');

/** POST /v2/auth/login and logout. @param deps.failures counts wrong passwords per email and address */
export function loginEndpoints(deps: {
  login: Login;
  failures: FailureLimiter;
  knownUsers: KnownUsers;
  revocations: TokenRevocations;
}): Endpoint[] {
  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/auth/login',
      summary: 'Sign in',
      tag: TAG,
      body: loginBody,
      answer: userTokenSchema,
      errors: [WRONG_CREDENTIALS, EMAIL_NOT_CONFIRMED, TOO_MANY_REQUESTS],
      repeats: 'anew',
      handle({ body, address, change }) {
        const [owner, name] = [addressNetwork(address), body.email.trim().toLowerCase()];
        const isProven = async () => (await deps.knownUsers(name, address)).size > 0;
        const attempt = { ...body, device: body.device ?? null, address, change };
        return deps.failures.attempt({ owner, name, isProven }, () => deps.login(attempt));
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/auth/logout',
      summary: 'Sign out',
      tag: TAG,
      roles: ALL_ROLES,
      userTokenOnly: true,
      answer: successSchema,
      async handle({ caller: { kind, token_id, user_id }, change }) {
        await change(async (tx) => {
          noteAudit(tx, { target: `account user ${user_id}` });
          await deleteUserToken(tx, token_id);
          tx.onCommit(() => deps.revocations.revoke([{ kind, token_id }]));
        });
        return { success: true as const };
      },
    }),
  ];
}
