/**
 * Limits guesses of the device's password. Each check costs processor time, and there are many guesses. So one check
 * runs at a time, with a pause behind it, and each address has a pace of its own. Nobody is locked out: addresses from
 * which somebody has signed in before come first, and then those that tried least, so that a stranger, even with many
 * addresses, does not keep out a person who knows the password.
 */
import { addressNetwork } from '../../shared/address-seats.js';
import { type Clock, sleep } from '../../shared/clock.js';
import { createBuckets } from '../../shared/flow/buckets.js';
import { createSemaphore, QueueFullError } from '../../shared/flow/semaphore.js';
import { keepNewest } from '../../shared/keep-newest.js';

/** So many tries an address has at once, and one more in each of these times. The right password gives them back. */
const TRIES_AT_ONCE = 5;
const TRY_MS = 12_000;
/** Addresses whose tries are remembered. Those that tried least are forgotten first. */
const ADDRESSES_MAX = 512;
/** Addresses from which somebody has signed in, the last ones. */
const PROVEN_MAX = 32;
const WAITING_MAX = 16;
/** Behind each check, so that pushes of cameras hardly notice guesses: two a second at most. */
const PAUSE_MS = 500;

/** `retryAfterS`: whole seconds after which the address may try again. */
export type GuessResult = { is: 'right' } | { is: 'wrong' } | { is: 'too many'; retryAfterS: number };

export interface PasswordGuesses {
  /** @param check whether the password is the right one */
  attempt(address: string, check: () => Promise<boolean>): Promise<GuessResult>;
}

export function createPasswordGuesses({ clock }: { clock: Clock }): PasswordGuesses {
  const tries = createBuckets({ clock, size: TRIES_AT_ONCE, refill: { eachMs: TRY_MS }, keysMax: ADDRESSES_MAX });
  const checks = createSemaphore({ name: 'guesses', permits: 1, waitingMax: WAITING_MAX });
  const proven = new Map<string, true>();

  function prove(network: string): void {
    tries.forget(network);
    proven.delete(network);
    proven.set(network, true);
    keepNewest(proven, PROVEN_MAX);
  }

  return {
    async attempt(address, check) {
      const network = addressNetwork(address);
      const waitMs = tries.spend(network);
      if (waitMs > 0) return { is: 'too many', retryAfterS: Math.ceil(waitMs / 1_000) };
      const rank = [proven.has(network) ? 0 : Math.ceil(tries.spent(network))];
      let leave: () => void;
      try {
        leave = await checks.enter(network, { rank });
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error;
        return { is: 'too many', retryAfterS: (WAITING_MAX * PAUSE_MS) / 1_000 };
      }
      const beganMs = clock.monotonic();
      try {
        if (!(await check())) return { is: 'wrong' };
        prove(network);
        return { is: 'right' };
      } finally {
        void sleep(clock, Math.max(PAUSE_MS, clock.monotonic() - beganMs)).then(leave);
      }
    },
  };
}
