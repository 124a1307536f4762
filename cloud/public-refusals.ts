/** The bounds of what endpoints without a token refuse. */
import type { Clock } from '../shared/clock.js';
import { ApiError } from '../shared/errors.js';
import type { ShareCounts } from './kernel/limit/entry.js';
import { createFailureLimiter } from './kernel/limit/failure-limiter.js';
import { createFailurePace } from './kernel/limit/failure-pace.js';

interface Bounds {
  limits: { publicPerMin: number };
  clock: Clock;
  shareCounts: ShareCounts;
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.status < 500;

export type PublicRefusals = ReturnType<typeof createPublicRefusals>;

/** Returns how to limit the requests to a public endpoint that are refused, by address. */
export function createPublicRefusals({ limits, clock, shareCounts }: Bounds) {
  return (name: string, countsAsFailure: (error: unknown) => boolean = isRefusal) =>
    createFailureLimiter({ failuresPerMin: limits.publicPerMin, clock, shared: shareCounts(name), countsAsFailure });
}

/** Six addresses that spend all of their refusals have spent those of all addresses together. */
const CLAIMS_BUDGET = 6;

export function createClaimPace({ limits, clock }: Pick<Bounds, 'limits' | 'clock'>) {
  const failuresPerMin = CLAIMS_BUDGET * limits.publicPerMin;
  return createFailurePace({ failuresPerMin, clock, countsAsFailure: isRefusal });
}
