/** Bounds how many servers are asked at the same moment. A slow server gives its turn to the next one before it has answered. */
import type { Clock } from '../../../shared/clock.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';

/** A working server answers within this time. */
const TURN_MS = 250;

/** Runs `work` when its turn comes. */
export type PollingTurns = <T>(work: () => Promise<T>) => Promise<T>;

/** @param options.permits how many servers have their turn at once */
export function createPollingTurns({ clock, permits }: { clock: Clock; permits: number }): PollingTurns {
  const turns = createSemaphore({ name: 'servers', permits, waitingMax: Number.POSITIVE_INFINITY });
  return async (work) => {
    const leave = await turns.enter('');
    const timer = clock.setTimer(TURN_MS, leave);
    try {
      return await work();
    } finally {
      timer.cancel();
      leave();
    }
  };
}
