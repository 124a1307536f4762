import { vi } from 'vitest';

/**
 * Waits until an assertion holds or a condition is true; fails with the last failure of it. The limit only ends a test that would hang:
 * vitest's own of one second is short on a busy machine.
 */
export function eventually<T>(
  ask: () => T | Promise<T>,
  options: { intervalMs?: number; limitMs?: number } = {},
): Promise<T> {
  return vi.waitFor(
    async () => {
      const answer = await ask();
      if (answer === false) throw new Error(`in vain: ${String(ask)}`);
      return answer;
    },
    { timeout: options.limitMs ?? 30_000, interval: options.intervalMs ?? 20 },
  );
}
