/** Calls the listener with the reason whenever one of the signals is aborted from now on. Returns how to stop listening. */
export function onAbort(signals: readonly AbortSignal[], listener: (reason: unknown) => void): () => void {
  const onEvent = () => listener(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', onEvent);
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', onEvent);
  };
}
