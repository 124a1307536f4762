import { systemClock } from '../system-clock.js';

/**
 * A signal that aborts after a time, or with another signal. `AbortSignal.timeout` and `AbortSignal.any` are younger than the browsers of
 * the pages.
 */
export function limitedSignal(withinMs: number, other?: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const end = () => {
    timer.cancel();
    other?.removeEventListener('abort', end);
    limit.abort();
  };
  const timer = systemClock.setTimer(withinMs, end);
  other?.addEventListener('abort', end);
  if (other?.aborted === true) end();
  return limit.signal;
}
