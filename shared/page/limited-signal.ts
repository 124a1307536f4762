/**
 * A signal that aborts after a time, or with another signal. `AbortSignal.timeout` and `AbortSignal.any` are younger than the browsers of
 * the pages.
 */
export function limitedSignal(withinMs: number, other?: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const end = () => {
    clearTimeout(timer);
    other?.removeEventListener('abort', end);
    limit.abort();
  };
  const timer = setTimeout(end, withinMs);
  other?.addEventListener('abort', end);
  if (other?.aborted === true) end();
  return limit.signal;
}
