/** What no event tells, and somebody waits for. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Read } from './use-read.js';

/**
 * Reads again after each answer, while somebody looks at the page.
 * @param read what is read. A reading would break off the one before, so that it waits for its answer
 * @param afterMs null: not now
 */
export function useAgain({ again, at, refusal }: Omit<Read<unknown>, 'found'>, afterMs: number | null): void {
  const unseen = useSignal(0);
  useEffect(() => {
    if (afterMs === null) return undefined;
    const timer = setTimeout(() => {
      if (document.hidden) unseen.value += 1;
      else again();
    }, afterMs);
    return () => clearTimeout(timer);
  }, [at, refusal, afterMs, unseen.value]);
}
