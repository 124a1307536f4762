/** Tells who needs to know, in this process, that tokens are gone: their realtime connections close at once. */
import type { TokenReference } from './caller.js';

export interface TokenRevocations {
  /** Called after the deletion is committed. */
  revoked(tokens: readonly TokenReference[]): void;
  onRevoked(listener: (tokens: readonly TokenReference[]) => void): () => void;
}

export function createTokenRevocations(): TokenRevocations {
  const listeners = new Set<(tokens: readonly TokenReference[]) => void>();
  return {
    revoked(tokens) {
      if (tokens.length === 0) return;
      for (const listener of listeners) listener(tokens);
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
