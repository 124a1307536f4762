/** A set of listeners; adding one returns how to take it away again. */
export interface Listeners<T> {
  add(listener: (value: T) => void): () => void;
  tell(value: T): void;
}

export function createListeners<T>(): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(value) {
      for (const listener of listeners) listener(value);
    },
  };
}
