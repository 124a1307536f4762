import type { Clock } from '../../../shared/clock.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { StoreError } from './cloud-store.js';
import { errorText } from '../../../shared/error-text.js';

/** How long somebody waits for a report. */
const WAIT_MS_MAX = 30_000;

/**
 * Runs the work with a signal that is aborted after 30 s, or when the caller's own signal is: the work has to end soon after that.
 * @throws StoreError `stopped` then, and for a queue that is full
 */
export async function withinTime<T>(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const timer = clock.setTimer(WAIT_MS_MAX, () =>
    ending.abort(
      new StoreError('stopped', `It took longer than ${WAIT_MS_MAX / 1_000} s: ask for less, or again later`),
    ),
  );
  const leave = () => ending.abort(new StoreError('stopped', 'Nobody waits for it any more'));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await work(ending.signal);
  } catch (error) {
    throw error instanceof QueueFullError ? new StoreError('stopped', errorText(error), { cause: error }) : error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', leave);
  }
}
