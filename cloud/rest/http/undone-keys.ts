/** Frees the keys of requests that did nothing, so that they may be sent again, at once or as soon as the database works. */
import { type Change, StoreError } from '../../kernel/entry.js';
import { deleteIdempotencyKey, type IdempotencyScope } from './idempotency-queries.js';

/** So many are remembered while the database fails. A request whose key is forgotten is told that it was interrupted. */
const REMEMBERED_MAX = 1_000;

export interface UndoneKeys {
  /** Forgets the key; when the database refuses, as soon as it comes again. */
  free(change: Change, scope: IdempotencyScope): Promise<void>;
  /** Forgets the key if it waits for that. Call it before the key is looked up. */
  release(change: Change, scope: IdempotencyScope): Promise<void>;
}

export function createUndoneKeys(): UndoneKeys {
  const waiting = new Set<string>();
  const nameOf = ({ caller, route, key }: IdempotencyScope) => JSON.stringify([caller, route, key]);
  const forget = (change: Change, scope: IdempotencyScope) => change((tx) => deleteIdempotencyKey(tx, scope));
  return {
    async free(change, scope) {
      try {
        await forget(change, scope);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        const [oldest] = waiting;
        if (oldest !== undefined && waiting.size >= REMEMBERED_MAX) waiting.delete(oldest);
        waiting.add(nameOf(scope));
      }
    },
    async release(change, scope) {
      if (!waiting.has(nameOf(scope))) return;
      await forget(change, scope);
      waiting.delete(nameOf(scope));
    },
  };
}
