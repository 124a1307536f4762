/** Who used up much time of late. */
import type { Clock } from '../../../shared/clock.js';

/** Used time is forgotten at this rate: whoever uses less of all time never has used much. */
const FORGOTTEN_PER_MS = 0.25;
const LITTLE_MS = 5_000;
/** Above this number, those that are forgotten are removed. */
const KEPT = 1_000;

export interface UsedTimes {
  isLittle(who: string): boolean;
  /** Counts how long the work takes, also when it fails. */
  measure<T>(who: string, work: () => Promise<T>): Promise<T>;
}

export function createUsedTimes(clock: Pick<Clock, 'monotonic'>): UsedTimes {
  /** What was used when it was counted last: milliseconds. */
  const counted = new Map<string, { usedMs: number; atMs: number }>();

  const usedNow = (who: string): number => {
    const { usedMs, atMs } = counted.get(who) ?? { usedMs: 0, atMs: 0 };
    return Math.max(0, usedMs - (clock.monotonic() - atMs) * FORGOTTEN_PER_MS);
  };

  function count(who: string, tookMs: number): void {
    const usedMs = usedNow(who) + tookMs;
    counted.set(who, { usedMs, atMs: clock.monotonic() });
    if (counted.size > KEPT) for (const each of counted.keys()) if (usedNow(each) === 0) counted.delete(each);
  }

  return {
    isLittle: (who) => usedNow(who) < LITTLE_MS,
    async measure(who, work) {
      const beganMs = clock.monotonic();
      try {
        return await work();
      } finally {
        count(who, clock.monotonic() - beganMs);
      }
    },
  };
}
