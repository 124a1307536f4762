import type { Context } from 'hono';
import { ApiError } from '../../shared/errors.js';
import { type Authenticate, bearerToken } from '../auth/authenticator.js';
import { type Caller, type Role, tokenKey } from '../auth/caller.js';
import type { RequestLimiter } from '../auth/request-limiter.js';
import type { HttpEnv } from './http-env.js';

/** Who may call an endpoint. */
export interface Access {
  roles: readonly Role[];
  /** API tokens, which act as a Super Admin elsewhere, may not. */
  userTokenOnly?: boolean;
}

/**
 * The caller of a protected endpoint. Throws code 1 without a token that stands for somebody, code 429 when the token has
 * had its requests of the minute, code 4 when the role is too low.
 */
export async function requireCaller(
  c: Context<HttpEnv>,
  { authenticate, requests }: { authenticate: Authenticate; requests: RequestLimiter },
  access: Access,
): Promise<Caller> {
  const token = bearerToken(c.req.header('authorization'));
  const caller = token === null ? null : await authenticate(token);
  if (caller === null) throw new ApiError(1);
  requests.count(tokenKey(caller));
  if (!access.roles.includes(caller.role)) throw new ApiError(4);
  if (access.userTokenOnly && caller.kind !== 'user') throw new ApiError(4);
  return caller;
}
