/** Judges a product's clock by its authenticated answer. */
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { ClientOutcome } from '../../shared/product-protocol/client-machine.js';
import { CLOCK_BUDGET_S, clockNonceOf } from '../../shared/product-protocol/clock-limits.js';

/** A product may refuse a token that is valid for seconds because its clock is off by more than this. */
const CLOCK_OFF_S = 2;

/** A clock that `set_time` cannot correct, and the exchange that a clock record of the cloud has to name. */
export interface WrongClock {
  /** Seconds; below 0: it is behind. */
  offS: number;
  nonce: number;
}

type Answered = Extract<ClientOutcome, { kind: 'answered' }>;

export function wrongClockOf({ challenge }: Answered, nowMs: number): WrongClock {
  return { offS: challenge.rtcS - Math.floor(nowMs / 1_000), nonce: clockNonceOf(challenge.productNonce) };
}

/**
 * Says whether `set_time` cannot correct the clock: it is too far off, or the product lost the time and was ahead
 * before.
 */
export function isBeyondBudget({ challenge }: Answered, nowMs: number): boolean {
  const offS = challenge.rtcS - nowMs / 1_000;
  return challenge.flags.rtcValid ? Math.abs(offS) > CLOCK_BUDGET_S : offS > 0;
}

/** A product without a time says so (type 9); a product with a wrong time refuses a token as expired or not yet valid (type 1). */
export function isClockToBlame({ block, challenge }: Answered, nowMs: number): boolean {
  if (block.result.kind !== 'error') return false;
  const { type } = block.result;
  if (type === GATEWAY_ERROR.CLOCK_NOT_SET) return true;
  return type === GATEWAY_ERROR.INVALID_KEY && Math.abs(challenge.rtcS - nowMs / 1_000) > CLOCK_OFF_S;
}
