/** Creates the endpoints by which people sign in, and by which users are kept. Wrong passwords of all of them are counted alike. */
import { ApiError } from '../shared/errors.js';
import { createFailureLimiter } from './kernel/limit/failure-limiter.js';
import type { Passwords } from './kernel/secrets/entry.js';
import type { PublicRefusals } from './public-refusals.js';
import type { Endpoint } from './rest/request/endpoint.js';
import { accountUserEndpoints } from './site/account/account-user-routes.js';
import { createAccountUsers } from './site/account/account-users.js';
import { isRequested, passwordResetEndpoints } from './site/password-reset/password-reset-routes.js';
import { createPasswordResets } from './site/password-reset/password-resets.js';
import { createKnownUsers, isWrong, type Login } from './site/user-token/login.js';
import { loginEndpoints } from './site/user-token/login-routes.js';
import { signInEndpoints } from './site/user-token/sign-in-routes.js';
import type { ShareCounts } from './kernel/limit/entry.js';

type SignInDeps = Parameters<typeof createPasswordResets>[0] &
  Parameters<typeof signInEndpoints>[0] & {
    login: Login;
    passwords: Passwords;
    limits: { loginFailuresPerMin: number };
    shareCounts: ShareCounts;
    /** Without a mail server mails are files, which nobody gets by itself. */
    sendsMails: boolean;
  };

export function allSignInEndpoints(deps: SignInDeps, publicRefusals: PublicRefusals): Endpoint[] {
  const { store, clock, login, passwords, revocations, limits, shareCounts } = deps;
  const { loginFailuresPerMin: failuresPerMin } = limits;
  const failuresOf = (name: string, countsAsFailure: (error: unknown) => boolean) =>
    createFailureLimiter({ failuresPerMin, clock, countsAsFailure, shared: shareCounts(name) });
  const isWrongPassword = (error: unknown) =>
    error instanceof ApiError && error.errors.some(({ field }) => field === 'old_password');
  const failures = failuresOf('old passwords', isWrongPassword);
  return [
    ...loginEndpoints({
      login,
      revocations,
      failures: failuresOf('logins', isWrong),
      knownUsers: createKnownUsers({ store, clock }),
    }),
    ...signInEndpoints({ store, revocations, clock }),
    ...passwordResetEndpoints({
      resets: createPasswordResets(deps),
      requests: failuresOf('password resets', isRequested),
      refusals: publicRefusals('new passwords'),
      sendsMails: deps.sendsMails,
    }),
    ...accountUserEndpoints({
      store,
      clock,
      users: createAccountUsers({ store, passwords, failures, revocations, clock }),
    }),
  ];
}
