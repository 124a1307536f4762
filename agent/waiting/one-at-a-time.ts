/** Returns work of which one runs at a time: who asks while it runs gets the same result, or failure. */
export function oneAtATime<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | null = null;
  return () => (running ??= work().finally(() => (running = null)));
}
