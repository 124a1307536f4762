/** A set of listeners. */
export interface Listeners<T> {
  /** Returns how to remove the listener again. */
  add(listener: (value: T) => void): () => void;
  /** Calls every listener, in the order they were added. */
  notify(value: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(value) {
      for (const listener of listeners) listener(value);
    },
  };
}
