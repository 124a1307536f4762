/** Notifies listeners in this process that tokens were deleted or that users have other lots, so that realtime connections follow at once. */
import type { TokenReference } from './caller.js';

export interface TokenRevocations {
  /** An effect (`tx.onCommit`) of the deletion of tokens. */
  revoke(tokens: readonly TokenReference[]): void;
  onRevoked(listener: (tokens: readonly TokenReference[]) => void): () => void;
  /** An effect of a change of a user's lots. Resolves when nothing of a lot that the user lost is sent any more. */
  lotsChanged(): Promise<void>;
  onLotsChanged(listener: () => Promise<void>): () => void;
}

export function createTokenRevocations(): TokenRevocations {
  const listeners = new Set<(tokens: readonly TokenReference[]) => void>();
  const lotListeners = new Set<() => Promise<void>>();
  return {
    revoke(tokens) {
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
