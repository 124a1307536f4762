/**
 * The share that each sender of pushes has of the thread, which decides for all cameras: a camera that posts what is dear waits, and the next
 * lane does not.
 */
import type { Clock } from '../../../shared/clock.js';
import { createThreadShare as createShare } from '../../../shared/flow/thread-share.js';

/** A sender may use so many milliseconds at once: some dozens of pushes with pictures, on the slowest device. */
const AT_ONCE_MS = 250;
/** One millisecond of work in each of these times, in the long run. A camera needs about a tenth of that for one vehicle a second. */
const EACH_MS = 8;
const SENDERS_MAX = 1_000;

export type ThreadShare = ReturnType<typeof createThreadShare>;

export function createThreadShare({ clock }: { clock: Clock }) {
  const share = createShare({
    clock,
    atOnceMs: AT_ONCE_MS,
    eachMs: EACH_MS,
    ownersMax: SENDERS_MAX,
    // Waiting work holds bytes, and those are bounded.
    waitingMax: Number.POSITIVE_INFINITY,
    waitingPerLineMax: Number.POSITIVE_INFINITY,
  });
  return {
    count: share.count,
    waitMs: share.waitMs,
    /**
     * Begins the work when the sender's share allows it, after all that the sender asked for before. The time of the thread that it uses
     * until it returns is counted; waiting afterwards holds up nothing.
     */
    async inTurn<T>(sender: string, work: () => T | Promise<T>): Promise<T> {
      await share.inLine(sender, () => share.paid(sender));
      return share.count(sender, work);
    },
  };
}
