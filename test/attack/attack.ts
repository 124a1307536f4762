/** What all attacks share: they go on until they are ended, and return what they did. They judge nothing. */
import { setMaxListeners } from 'node:events';

/** The order for an attack. */
export interface AttackOrder {
  /** The address of this machine that it comes from. Attackers use another one than honest callers, so that shares by address can tell them apart. */
  from: string;
  /** The address of this machine that it attacks; left out: 127.0.0.1. */
  to?: string;
  /** Ends it. */
  signal: AbortSignal;
}

/** The results of an attack, by kind: `sent`, `answered 429`, `closed by peer`. */
export type AttackCounts = Record<string, number>;

/** Where the honest callers of a test and its attackers come from. */
export const ATTACKER_ADDRESS = '127.0.0.2';

/** Of a proxy that the service trusts, behind which attackers have as many addresses as they like. */
export const PROXY_ADDRESS = '127.0.0.3';

const TICK_MS = 20;

export function createCounts(): { counts: AttackCounts; add(what: string, count?: number): void } {
  const counts: AttackCounts = {};
  return { counts, add: (what, count = 1) => void (counts[what] = (counts[what] ?? 0) + count) };
}

/**
 * Calls `each` so many times a second until the signal, with its number from 0. What takes too long is not waited for, but no more than
 * `inFlightMax` run at once. `each` must not reject.
 */
export async function atRate(
  { perSecond, inFlightMax = Number.POSITIVE_INFINITY }: { perSecond: number; inFlightMax?: number },
  { signal }: AttackOrder,
  each: (number: number) => Promise<void>,
): Promise<void> {
  // Each call may listen.
  setMaxListeners(0, signal);
  const startedMs = performance.now();
  const running = new Set<Promise<void>>();
  let number = 0;
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * perSecond);
    while (number <= due && running.size < inFlightMax) {
      const run = each(number++).finally(() => running.delete(run));
      running.add(run);
    }
    // What could not be begun in time is left out, and does not come in a burst later.
    number = Math.max(number, due);
    await pause(TICK_MS, signal);
  }
  await Promise.all(running);
}

/** Waits, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
