/**
 * Token buckets by key, on the monotonic clock: how much a gateway, an address or an account may take at once, and in the long run. A key is
 * in the memory while its bucket is not full, and the number of keys is bounded.
 */
import type { Clock } from '../clock.js';

/** The pace at which tokens come back: one in each of these times, or all of them so long after the first of them was spent. In milliseconds. */
export type Refill = { eachMs: number } | { allAfterMs: number };

export interface BucketOptions {
  clock: Pick<Clock, 'monotonic'>;
  /** How many tokens a full bucket has. */
  size: number;
  refill: Refill;
  /** With more keys than this, those that spent least are forgotten, which fills their buckets. */
  keysMax: number;
}

export interface Buckets {
  /** Spends tokens if there are so many. @returns 0, or in how many milliseconds there will be: none was spent */
  spend(key: string, tokens?: number): number;
  /** Spends tokens even if there are fewer; the key owes them. @returns in how many milliseconds they are paid */
  owe(key: string, tokens: number): number;
  /** In how many milliseconds there will be so many tokens; 0: there are. */
  waitMs(key: string, tokens?: number): number;
  giveBack(key: string, tokens?: number): void;
  /** How many tokens of the key are spent or owed. */
  spent(key: string): number;
  /** In how many milliseconds the bucket will be full. */
  fullInMs(key: string): number;
  /** Fills the bucket. */
  forget(key: string): void;
}

/** How many keys are left when there were too many: to look through all of them for each new one would take too long. */
const PART_KEPT = 0.9;

interface Bucket {
  fullAtMs: number;
  spent: number;
}

export function createBuckets({ clock, size, refill, keysMax }: BucketOptions): Buckets {
  const buckets = new Map<string, Bucket>();

  const now = (key: string, nowMs: number): Bucket => {
    const { fullAtMs, spent } = buckets.get(key) ?? { fullAtMs: nowMs, spent: 0 };
    if (fullAtMs <= nowMs) return { fullAtMs: nowMs, spent: 0 };
    return { fullAtMs, spent: 'eachMs' in refill ? (fullAtMs - nowMs) / refill.eachMs : spent };
  };
  const without = ({ fullAtMs, spent }: Bucket, tokens: number, nowMs: number): Bucket => {
    if ('eachMs' in refill) return { fullAtMs: fullAtMs + tokens * refill.eachMs, spent: spent + tokens };
    return { fullAtMs: spent === 0 ? nowMs + refill.allAfterMs : fullAtMs, spent: spent + tokens };
  };

  function forgetLeast(nowMs: number): void {
    const least = Array.from(buckets.keys(), (key) => ({ key, spent: now(key, nowMs).spent }));
    least.sort((one, other) => one.spent - other.spent);
    for (const { key, spent } of least) if (spent === 0 || buckets.size > keysMax * PART_KEPT) buckets.delete(key);
  }

  function count(key: string, tokens: number, isCounted: (waitMs: number) => boolean): number {
    const nowMs = clock.monotonic();
    const after = without(now(key, nowMs), tokens, nowMs);
    const { fullAtMs } = after;
    const enoughAtMs = 'eachMs' in refill ? fullAtMs - size * refill.eachMs : after.spent > size ? fullAtMs : nowMs;
    const waitMs = Math.max(0, enoughAtMs - nowMs);
    if (isCounted(waitMs)) {
      buckets.set(key, after);
      if (buckets.size > keysMax) forgetLeast(nowMs);
    }
    return waitMs;
  }

  return {
    spend: (key, tokens = 1) => count(key, tokens, (waitMs) => waitMs === 0),
    owe: (key, tokens) => count(key, tokens, () => true),
    waitMs: (key, tokens = 1) => count(key, tokens, () => false),
    giveBack: (key, tokens = 1) => void count(key, -tokens, () => true),
    spent: (key) => now(key, clock.monotonic()).spent,
    fullInMs(key) {
      const nowMs = clock.monotonic();
      return now(key, nowMs).fullAtMs - nowMs;
    },
    forget: (key) => void buckets.delete(key),
  };
}
