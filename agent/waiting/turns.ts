import type { Clock } from '../../shared/clock.js';
import { deferred } from './deferred.js';
import { waitFor } from './wait-for.js';

export interface TurnOptions {
  /** Comes before all that are not urgent. */
  isUrgent?: boolean;
  /** Comes before all of its kind: it gave way before. */
  isFirst?: boolean;
  /** Called when somebody urgent begins to wait during this turn, which is not urgent. */
  onUrgent?: () => void;
}

/** Lets callers in one after the other, the urgent ones first, and otherwise in the order in which they came. */
export interface Turns {
  /** Resolves when it is the caller's turn, with a function that ends the turn. Rejects with a signal's reason when that comes first. */
  enter(signals: readonly AbortSignal[], options?: TurnOptions): Promise<() => void>;
}

interface Waiter {
  options: TurnOptions;
  letIn(): void;
}

export function createTurns(clock: Clock): Turns {
  const waiting: Waiter[] = [];
  let present: Waiter | null = null;

  const letNextIn = () => {
    present = waiting.shift() ?? null;
    present?.letIn();
  };
  const leave = (waiter: Waiter) => {
    if (waiter === present) letNextIn();
    else if (waiting.includes(waiter)) waiting.splice(waiting.indexOf(waiter), 1);
  };
  const join = (waiter: Waiter) => {
    const { isUrgent = false, isFirst = false } = waiter.options;
    const isBehind = ({ options }: Waiter) => {
      const isSameKind = (options.isUrgent ?? false) === isUrgent;
      return isSameKind ? isFirst : isUrgent;
    };
    const at = waiting.findIndex(isBehind);
    waiting.splice(at === -1 ? waiting.length : at, 0, waiter);
    if (present === null) letNextIn();
    else if (isUrgent && present.options.isUrgent !== true) present.options.onUrgent?.();
  };

  return {
    async enter(signals, options = {}) {
      const turn = deferred<void>();
      const waiter: Waiter = { options, letIn: () => turn.resolve() };
      join(waiter);
      try {
        await waitFor<void>({
          clock,
          signals,
          listen: (resolve) => {
            void turn.promise.then(resolve);
            return () => {};
          },
        });
      } catch (error) {
        leave(waiter);
        throw error;
      }
      return () => leave(waiter);
    },
  };
}
