import type { Context } from 'hono';
import { ApiError, NO_PERMISSION, UNAUTHORIZED } from '../../../shared/errors.js';
import type { HttpEnv } from './http-env.js';
import { addHeader } from './reply.js';
import { type Authenticate, bearerToken, type Caller, type Role, seesLot, tokenKey } from '../../kernel/auth/entry.js';
import { type RequestLimiter, RetryLaterError } from '../../kernel/limit/entry.js';

/** The callers of an endpoint. */
export interface Access {
  roles: readonly Role[];
  /** API tokens may not call it, although they act as a Super Admin elsewhere. */
  userTokenOnly?: boolean;
  /** Whether it is for this caller, where that depends on more than the role. */
  isFor?: (caller: Caller) => boolean;
}

/**
 * Finds the caller of a protected endpoint.
 * @throws ApiError UNAUTHORIZED without a valid token, TOO_MANY_REQUESTS when the token has used the requests of its minute or too many made-up
 * tokens came from the address, NO_PERMISSION when the role is too low
 */
export async function requireCaller(
  c: Context<HttpEnv>,
  { authenticate, requests }: { authenticate: Authenticate; requests: RequestLimiter },
  access: Access,
): Promise<Caller> {
  const token = bearerToken(c.req.header('authorization'));
  const found = token === null ? null : authenticate(token, c.get('address'));
  // Most callers are remembered, and need no waiting.
  const caller = found instanceof Promise ? await found : found;
  if (caller === null) throw new ApiError(UNAUTHORIZED);
  countRequest(c, requests, tokenKey(caller));
  if (!access.roles.includes(caller.role)) throw new ApiError(NO_PERMISSION);
  if (access.userTokenOnly && caller.kind !== 'user') throw new ApiError(NO_PERMISSION);
  if (access.isFor !== undefined && !access.isFor(caller)) throw new ApiError(NO_PERMISSION);
  return caller;
}

/** Counts, and says in the answer's headers what is left, in that of a refusal too. */
function countRequest(c: Context<HttpEnv>, requests: RequestLimiter, key: string): void {
  const quota = requests.quotaAfter(key);
  if (quota === null) return;
  addHeader(c, 'RateLimit-Limit', String(quota.limit));
  addHeader(c, 'RateLimit-Remaining', String(quota.remaining));
  addHeader(c, 'RateLimit-Reset', String(quota.resetS));
  if (quota.isUsedUp) throw new RetryLaterError(429, { retryAfterS: quota.resetS });
}

/**
 * Checks that the caller may see one thing. A thing of another account, or in a lot that is not assigned to the caller, is answered
 * like one that does not exist.
 */
export function visibleTo<Details extends { account_id: number; lot_id: number | null }>(
  caller: Caller,
  details: Details | null,
): Details | null {
  if (details === null || details.account_id !== caller.account_id) return null;
  return seesLot(caller, details.lot_id) ? details : null;
}
