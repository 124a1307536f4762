/** Returns work that runs once at a time: everybody who asks while it runs gets the same result, or failure. */
export function oneAtATime<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | null = null;
  return () => (running ??= work().finally(() => (running = null)));
}
