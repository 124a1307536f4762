import type { Clock } from '../../shared/clock.js';
import { deferred } from './deferred.js';
import { waitFor } from './wait-for.js';

/** Lets callers in one after the other, in the order in which they came. */
export interface Turns {
  /** Resolves when it is the caller's turn, with a function that ends the turn. Rejects with a signal's reason when that comes first. */
  enter(signals: readonly AbortSignal[]): Promise<() => void>;
}

export function createTurns(clock: Clock): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    async enter(signals) {
      const before = last;
      const mine = deferred<void>();
      last = before.then(() => mine.promise);
      try {
        await waitFor<void>({
          clock,
          signals,
          listen: (resolve) => {
            void before.then(resolve);
            return () => {};
          },
        });
      } catch (error) {
        mine.resolve();
        throw error;
      }
      return () => mine.resolve();
    },
  };
}
