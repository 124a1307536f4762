/** Refused requests of public endpoints count against the address they come from. */
import type { Context } from 'hono';
import { addressNetwork } from '../../../shared/address-seats.js';
import { ApiError } from '../../../shared/errors.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import type { HttpEnv } from './http-env.js';

/**
 * Does the work, and counts its ApiErrors. A request that is not refused never has to wait, because the clients of a carrier share one
 * address.
 * @param isCounted tells, once the work has failed, whether that counts
 * @throws RetryLaterError (TOO_MANY_REQUESTS) instead of the work's error when the address has no refusal left
 */
export async function countRefusal<T>(
  c: Context<HttpEnv>,
  refusals: FailureLimiter,
  work: () => Promise<T>,
  isCounted = (): boolean => true,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !isCounted()) throw error;
    return refusals.attempt({ owner: addressNetwork(c.get('address')) }, () => Promise.reject(error));
  }
}
