/** One direction of a network: messages arrive in the order in which they were sent, whatever delay each has. */
import type { Clock } from '../../../shared/clock.js';

export interface Way {
  /** Calls `arrive` later, also without any delay. */
  send(arrive: () => void): void;
  /** Nothing is under way. */
  readonly isEmpty: boolean;
}

/** @param delayMs how long what is sent now travels, milliseconds */
export function createWay(clock: Clock, delayMs: () => number): Way {
  const underWay: (() => void)[] = [];
  let lastDueMs = Number.NEGATIVE_INFINITY;
  return {
    send(arrive) {
      const nowMs = clock.monotonic();
      lastDueMs = Math.max(lastDueMs, nowMs + delayMs());
      underWay.push(arrive);
      clock.setTimer(lastDueMs - nowMs, () => underWay.shift()?.());
    },
    get isEmpty() {
      return underWay.length === 0;
    },
  };
}
