/**
 * Runs the turns of a queue that lives in tables: one after another, when there may be something to do. A turn that the database refuses is
 * run again, after ever longer waits.
 */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';

/** A queue is looked at again at least this often, because timers allow only limited times. */
const LONGEST_WAIT_MS = 3_600_000;
const DATABASE_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

export interface TurnLoop {
  /** Runs a turn as soon as possible; of many calls during a turn one more follows. */
  ask(): void;
  /** Runs no more turns. Resolves when the one under way is over. */
  close(): Promise<void>;
}

/**
 * @param options.runTurn resolves to the wall milliseconds at which something is due next; null: only `ask` brings something
 * @param options.onError is called for a turn that failed
 */
export function createTurnLoop(options: {
  clock: Clock;
  random: () => number;
  runTurn(): Promise<number | null>;
  onError(error: unknown): void;
}): TurnLoop {
  const { clock, random, runTurn, onError } = options;
  let turning = Promise.resolve();
  let isTurning = false;
  let isAsked = false;
  const closing = new AbortController();
  let failures = 0;
  let timer: Timer | undefined;

  const ask = (): void => {
    isAsked = true;
    if (isTurning || closing.signal.aborted) return;
    isTurning = true;
    turning = turns();
  };
  const askIn = (delayMs: number): void => {
    timer?.cancel();
    timer = clock.setTimer(Math.min(Math.max(delayMs, 0), LONGEST_WAIT_MS), ask);
  };

  const turns = async (): Promise<void> => {
    while (isAsked && !closing.signal.aborted) {
      isAsked = false;
      if (!(await wasTurnRun())) break;
    }
    // This is in the same turn of the event loop as the last check of isAsked, so that a later request begins new turns.
    isTurning = false;
  };

  const wasTurnRun = async (): Promise<boolean> => {
    try {
      const nextAt = await runTurn();
      // The turn itself needed time, so the clock is read again.
      if (nextAt !== null) askIn(nextAt - clock.now());
      failures = 0;
      return true;
    } catch (error) {
      onError(error);
      askIn(backoffDelayMs(DATABASE_BACKOFF, failures, random()));
      failures += 1;
      return false;
    }
  };

  return {
    ask,
    async close() {
      closing.abort();
      await turning;
      timer?.cancel();
    },
  };
}
