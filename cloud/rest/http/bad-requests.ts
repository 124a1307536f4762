/**
 * How many requests an address may send that no client would send by mistake for long: with a token that nobody has, or at a public endpoint
 * with a body that is too large or wrong. What comes after that costs no more than to refuse it.
 */
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import { createRequestLimiter, type SharedCounts } from '../../kernel/limit/entry.js';

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
