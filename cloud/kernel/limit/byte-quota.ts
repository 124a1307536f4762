/** Says how long who sends more than a share has to wait. It refuses nothing: what one sends too fast must not slow the others down. */
import type { Clock } from '../../../shared/clock.js';

/** So much may come at once, and so much a second for as long as one likes. */
export interface Allowance {
  /** It is of what comes with so many bytes or more, and nothing smaller counts. Left out: of everything. */
  fromBytes?: number;
  burstBytes: number;
  bytesPerS: number;
}

export interface ByteQuota {
  /** Counts so many bytes more. @returns how long they have to wait, in milliseconds */
  take(key: string, bytes: number): number;
}

/** Above this number, keys that owe nothing are forgotten. */
const KEYS_KEPT = 1_000;

/** @param options.allowances all of them hold */
export function createByteQuota(options: { allowances: readonly Allowance[]; clock: Clock }): ByteQuota {
  const { allowances, clock } = options;
  /** By key and allowance, when what was sent is paid off at the allowed rate: monotonic milliseconds. */
  const paidAt = new Map<string, number[]>();

  function forgetPaid(now: number): void {
    for (const [key, times] of paidAt) if (times.every((at) => at <= now)) paidAt.delete(key);
  }

  return {
    take(key, bytes) {
      const now = clock.monotonic();
      if (paidAt.size >= KEYS_KEPT && !paidAt.has(key)) forgetPaid(now);
      const before = paidAt.get(key) ?? [];
      const after: number[] = [];
      let wait = 0;
      for (const [index, { burstBytes, bytesPerS, fromBytes = 0 }] of allowances.entries()) {
        const paid = Math.max(before[index] ?? now, now);
        const isOfThis = bytes >= fromBytes;
        const owed = isOfThis ? paid + (bytes / bytesPerS) * 1_000 : paid;
        after.push(owed);
        if (isOfThis) wait = Math.max(wait, owed - (burstBytes / bytesPerS) * 1_000 - now);
      }
      paidAt.set(key, after);
      return wait;
    },
  };
}
