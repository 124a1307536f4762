/**
 * Shares of the one thread, measured in time: an owner that has used up its share waits with its next work until others had theirs. The
 * duration of the work counts, not its amount.
 */
import { type Clock, sleep } from '../clock.js';
import { createBuckets } from './buckets.js';
import { createSemaphore } from './semaphore.js';

interface ThreadShareOptions {
  clock: Clock;
  /** The time that an owner may use before it waits. */
  atOnceMs: number;
  /** One millisecond of work in each of these times, in the long run. */
  eachMs: number;
  ownersMax: number;
  /** How much work may wait, in all and in one line. */
  waitingMax: number;
  waitingPerLineMax: number;
}

export function createThreadShare(options: ThreadShareOptions) {
  const { clock, atOnceMs: size, eachMs, ownersMax: keysMax, waitingMax, waitingPerLineMax } = options;
  const used = createBuckets({ clock, size, refill: { eachMs }, keysMax });
  const lines = createSemaphore({
    name: 'work of the thread',
    permits: Number.POSITIVE_INFINITY,
    permitsPerOwner: 1,
    waitingMax,
    waitingPerOwnerMax: waitingPerLineMax,
  });
  /** Counts work that took so long. */
  const owe = (owner: string, ms: number): void => void used.owe(owner, ms);
  /** In how many milliseconds the share allows work of this owner; 0: now. */
  const waitMs = (owner: string): number => used.waitMs(owner, 0);

  return {
    owe,
    waitMs,
    /** Does the work at once, and counts how long it takes. */
    count<T>(owner: string, work: () => T): T {
      const sinceMs = clock.monotonic();
      try {
        return work();
      } finally {
        owe(owner, clock.monotonic() - sinceMs);
      }
    },
    /** Resolves when the share allows work of this owner. Among several waiting, the first to go on may use it up again. */
    async paid(owner: string): Promise<void> {
      for (let ms = waitMs(owner); ms > 0; ms = waitMs(owner)) await sleep(clock, Math.ceil(ms));
    },
    /** Does the work after all that its line asked for before. Rejects with QueueFullError when too much waits. */
    inLine: <T>(line: string, work: () => Promise<T>): Promise<T> => lines.run(line, work),
  };
}
