import type { Clock } from '../../../shared/clock.js';

/**
 * Runs `work` with a signal that is aborted when the time is over, or when `limit.signal` is. `work` has to end when its signal is aborted.
 * @param limit.reason why the signal is aborted when the time is over, for people; left out: `no answer in time`
 */
export async function withinTime<Result>(
  limit: { clock: Clock; ms: number; reason?: string; signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { clock, ms, reason = 'no answer in time', signal } = limit;
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = clock.setTimer(ms, () => controller.abort(new Error(reason)));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', stop);
  }
}
