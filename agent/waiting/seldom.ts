import type { Clock } from '../../shared/clock.js';

/** Calls `log` when it is the first within the period, with how many calls were left out since the last one. */
export type Seldom = (log: (leftOut: number) => void) => void;

/** For lines that somebody outside can cause as often as he likes: a log on a memory card has to last for years. */
export function createSeldom(clock: Clock, periodMs = 60_000): Seldom {
  let loggedMonoMs = -Infinity;
  let leftOut = 0;
  return (log) => {
    if (clock.monotonic() - loggedMonoMs < periodMs) {
      leftOut += 1;
      return;
    }
    loggedMonoMs = clock.monotonic();
    log(leftOut);
    leftOut = 0;
  };
}
