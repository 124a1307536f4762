/** Tells who needs to know, in this process, that tokens are gone, or hear of other lots: realtime connections follow at once. */
import type { TokenReference } from './caller.js';

export interface TokenRevocations {
  /** Called after the deletion is committed. */
  revoked(tokens: readonly TokenReference[]): void;
  onRevoked(listener: (tokens: readonly TokenReference[]) => void): () => void;
  /** Called after other lots for a user are committed. Resolves when nothing of a lot that was taken away is told any more. */
  lotsChanged(): Promise<void>;
  onLotsChanged(listener: () => Promise<void>): () => void;
}

export function createTokenRevocations(): TokenRevocations {
  const listeners = new Set<(tokens: readonly TokenReference[]) => void>();
  const lotListeners = new Set<() => Promise<void>>();
  return {
    revoked(tokens) {
      if (tokens.length === 0) return;
      for (const listener of listeners) listener(tokens);
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async lotsChanged() {
      await Promise.all([...lotListeners].map((listener) => listener()));
    },
    onLotsChanged(listener) {
      lotListeners.add(listener);
      return () => void lotListeners.delete(listener);
    },
  };
}
