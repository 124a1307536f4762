/**
 * How many requests an address may send that no client would send by mistake for long: with a token that nobody has, or at a public endpoint
 * with a body that is too large or wrong. What comes after that costs no more than to refuse it.
 */
import type { Context } from 'hono';
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { createRequestLimiter, type FailureLimiter, type SharedCounts } from '../../kernel/limit/entry.js';
import type { HttpEnv } from './http-env.js';

/** However few requests a token has: test tools of integrators send many that are wrong. */
const BAD_REQUESTS_MIN = 600;

export interface BadRequests {
  /** @throws RetryLaterError (TOO_MANY_REQUESTS) when too many came from the client's network address */
  check(address: string): void;
  count(address: string): void;
}

/** @param options.requestsPerMin RATE_REQUESTS_PER_MIN: as many bad ones as a token has requests, but not less than 600; 0: no limit */
export function createBadRequests(options: {
  requestsPerMin: number;
  clock: Clock;
  shared?: SharedCounts | undefined;
}): BadRequests {
  const { requestsPerMin, clock, shared } = options;
  const limit = requestsPerMin === 0 ? 0 : Math.max(requestsPerMin, BAD_REQUESTS_MIN);
  const requests = createRequestLimiter({ requestsPerMin: limit, clock, shared });
  return {
    check: (address) => requests.check(addressNetwork(address)),
    count: (address) => void requests.quotaAfter(addressNetwork(address)),
  };
}

/**
 * Counts requests that no client would send, by address, and reads no more of an address that has sent too many of them. Where drivers
 * ask, refused requests are counted otherwise (`countRefusal`), because they share the addresses of carriers.
 */
export async function unlessTooBad<T>(
  c: Context<HttpEnv>,
  badRequests: BadRequests,
  work: () => Promise<T>,
): Promise<T> {
  const address = c.get('address');
  badRequests.check(address);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.errors.some(({ code }) => code === VALIDATION)) badRequests.count(address);
    throw error;
  }
}

/**
 * Does the work of a public endpoint, and counts its ApiErrors against the address they come from. A request that is not refused never has to wait, because the clients of a carrier share one
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
