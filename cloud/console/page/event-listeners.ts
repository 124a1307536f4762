/** The realtime events as they come, for whoever shows what they tell. */
import type { RealtimeEvent } from '@parking-gateway/client';

const listeners = new Set<(event: RealtimeEvent) => void>();

/** @returns a function that ends the listening */
export function onEvent(listener: (event: RealtimeEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function notifyEvent(event: RealtimeEvent): void {
  for (const listener of listeners) listener(event);
}

/** Runs a reading, and gives with its answer the events that came meanwhile: the answer may be older than they are. */
export async function withEvents<Value>(
  read: () => Promise<Value>,
): Promise<{ value: Value; events: RealtimeEvent[] }> {
  const events: RealtimeEvent[] = [];
  const stop = onEvent((event) => events.push(event));
  try {
    return { value: await read(), events };
  } finally {
    stop();
  }
}
