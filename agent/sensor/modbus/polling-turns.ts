/** Bounds how many servers are asked at the same moment. A slow server gives its turn to the next one before it has answered. */
import type { Clock } from '../../../shared/clock.js';

/** A working server answers within this time. */
const TURN_MS = 250;

export interface PollingTurns {
  /** Runs `work` when its turn comes, which is never later than the turns of those before it. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** @param limits.concurrency how many servers have their turn at once */
export function createPollingTurns({ clock, concurrency }: { clock: Clock; concurrency: number }): PollingTurns {
  const waiting: (() => void)[] = [];
  let taken = 0;

  async function take(): Promise<() => void> {
    if (taken >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else taken += 1;
    let isGiven = false;
    const give = () => {
      if (isGiven) return;
      isGiven = true;
      timer.cancel();
      const next = waiting.shift();
      // The turn passes on.
      if (next === undefined) taken -= 1;
      else next();
    };
    const timer = clock.setTimer(TURN_MS, give);
    return give;
  }

  return {
    async run(work) {
      const give = await take();
      try {
        return await work();
      } finally {
        give();
      }
    },
  };
}
