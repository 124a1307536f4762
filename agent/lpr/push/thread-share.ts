/**
 * Keeps the work for one sender of pushes within a share of the thread, which decides for all cameras. The time that
 * the work takes counts, not the number of pushes: a camera whose pushes are costly waits, and the next lane does not.
 */
import { type Clock, sleep } from '../../../shared/clock.js';
import { createBuckets } from '../../../shared/flow/buckets.js';
import { createMutex } from '../../../shared/flow/mutex.js';

/** A sender may use so many milliseconds at once: some dozens of pushes with pictures, on the slowest device. */
const BURST_MS = 250;
/** One millisecond of work in each of these times, in the long run. A camera needs about a tenth of that for one vehicle a second. */
const EACH_MS = 8;
const SENDERS_MAX = 1_000;

export interface ThreadShare {
  /** Does the work at once, and counts how long it takes. */
  count<T>(sender: string, work: () => T): T;
  /**
   * Begins the work when the sender's share allows it, after everything that the sender asked for before. The time that
   * it holds the thread until it returns is counted; waiting after that holds up nothing.
   */
  inTurn<T>(sender: string, work: () => T | Promise<T>): Promise<T>;
  /** In how many milliseconds the share allows work of this sender; 0: now. */
  waitMs(sender: string): number;
}

export function createThreadShare({ clock }: { clock: Clock }): ThreadShare {
  const used = createBuckets({ clock, size: BURST_MS, refill: { eachMs: EACH_MS }, keysMax: SENDERS_MAX });
  const turns = createMutex<string>();

  function count<T>(sender: string, work: () => T): T {
    const sinceMs = clock.monotonic();
    try {
      return work();
    } finally {
      used.owe(sender, clock.monotonic() - sinceMs);
    }
  }

  return {
    count,
    async inTurn(sender, work) {
      await turns.run(sender, async () => {
        const ms = used.waitMs(sender);
        if (ms > 0) await sleep(clock, ms);
      });
      return count(sender, work);
    },
    waitMs: (sender) => used.waitMs(sender),
  };
}
