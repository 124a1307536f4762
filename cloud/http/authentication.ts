import type { Context } from 'hono';
import { ApiError } from '../../shared/errors.js';
import { type Authenticate, bearerToken } from '../auth/authenticator.js';
import type { Caller, Role } from '../auth/caller.js';
import type { HttpEnv } from './http-env.js';

/** The caller of a protected endpoint. Throws code 1 without a token that stands for somebody, code 4 when the role is too low. */
export async function requireCaller(
  c: Context<HttpEnv>,
  options: { authenticate: Authenticate; roles: readonly Role[] },
): Promise<Caller> {
  const token = bearerToken(c.req.header('authorization'));
  const caller = token === null ? null : await options.authenticate(token);
  if (caller === null) throw new ApiError(1);
  if (!options.roles.includes(caller.role)) throw new ApiError(4);
  return caller;
}
