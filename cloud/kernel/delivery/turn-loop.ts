/**
 * Runs the turns of a queue that lives in tables: one after another, when there may be something to do. A turn that the database refuses is
 * run again, after ever longer waits.
 */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';

/** A queue is looked at again at least this often, because timers allow only limited times. */
const LONGEST_WAIT_MS = 3_600_000;
const DATABASE_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

/** Resolves to the wall milliseconds at which something is due next; null: only `ask` brings something. */
type Turn = () => Promise<number | null>;

/** @param onError is called for a turn that failed */
export function createTurnLoop(
  { clock, random }: { clock: Clock; random: () => number },
  onError: (error: unknown) => void,
) {
  let turning = Promise.resolve();
  let isTurning = false;
  let isAsked = false;
  const closing = new AbortController();
  let failures = 0;
  let timer: Timer | undefined;
  let runTurn: Turn | undefined;

  function ask(): void {
    isAsked = true;
    if (runTurn === undefined || isTurning || closing.signal.aborted) return;
    isTurning = true;
    turning = turns(runTurn);
  }
  function askIn(delayMs: number): void {
    timer?.cancel();
    timer = clock.setTimer(Math.min(Math.max(delayMs, 0), LONGEST_WAIT_MS), ask);
  }

  async function turns(run: Turn): Promise<void> {
    while (isAsked && !closing.signal.aborted) {
      isAsked = false;
      if (!(await wasTurnRun(run))) break;
    }
    // This is in the same turn of the event loop as the last check of isAsked, so that a later request begins new turns.
    isTurning = false;
  }

  async function wasTurnRun(run: Turn): Promise<boolean> {
    try {
      const nextAt = await run();
      // The turn itself needed time, so the clock is read again.
      if (nextAt !== null && nextAt <= clock.now()) isAsked = true;
      else if (nextAt !== null) askIn(nextAt - clock.now());
      failures = 0;
      return true;
    } catch (error) {
      onError(error);
      askIn(backoffDelayMs(DATABASE_BACKOFF, failures, random()));
      failures += 1;
      return false;
    }
  }

  return {
    /** Runs the first turn. */
    start(turn: Turn): void {
      runTurn = turn;
      ask();
    },
    /** Runs a turn as soon as possible, after the start; of many calls during a turn one more follows. */
    ask,
    /** Runs no more turns. Resolves when the one under way is over. */
    async close(): Promise<void> {
      closing.abort();
      await turning;
      timer?.cancel();
    },
  };
}
