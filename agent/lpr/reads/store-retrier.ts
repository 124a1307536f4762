/**
 * Passes work to the store at once, and keeps work that the store refuses (disk full, read-only, I/O error). Kept work is tried again in
 * its order in the background, and whenever a caller asks for it. The amount is bounded: the oldest work is given up first.
 */
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';

const RETRY_EVERY_MS = 5_000;
const KEPT_MAX = 1_000;

interface Work {
  store: () => Promise<void>;
  /** The attempt under way; null: there is none. */
  attempt: Promise<boolean> | null;
}

export interface StoreRetrier {
  /**
   * Tries now, and resolves with whether the work is stored. If an attempt for the key is under way, this joins it and ignores the new
   * `store`.
   */
  attempt(key: string, store: () => Promise<void>): Promise<boolean>;
  /** Tries the kept work of a key again; true when there is no such work. */
  retry(key: string): Promise<boolean>;
  /** Keeps work for the background, after the work that is kept already. */
  enqueue(key: string, store: () => Promise<void>): void;
  /** Ends all retries, and waits for attempts under way. */
  close(): Promise<void>;
}

export function createStoreRetrier(deps: { clock: Clock; logger: Logger }): StoreRetrier {
  const { clock, logger } = deps;
  const kept = new Map<string, Work>();
  let timer: Timer | null = null;
  let closed = false;

  function run(key: string, work: Work): Promise<boolean> {
    work.attempt ??= work.store().then(
      () => {
        if (kept.get(key) === work) kept.delete(key);
        return true;
      },
      (error: unknown) => {
        work.attempt = null;
        logger.error({ err: error, key, unstored: kept.size }, 'a write was not stored: it is tried again');
        arm();
        return false;
      },
    );
    return work.attempt;
  }

  function keep(key: string, store: () => Promise<void>): Work {
    const work: Work = { store, attempt: null };
    kept.set(key, work);
    if (kept.size > KEPT_MAX) {
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
      logger.error({ key: oldest, kept: KEPT_MAX }, 'a write was given up: the store refuses for too long');
    }
    return work;
  }

  function arm(): void {
    if (timer !== null || closed || kept.size === 0) return;
    timer = clock.setTimer(RETRY_EVERY_MS, () => {
      timer = null;
      void drain().then(arm);
    });
  }

  async function drain(): Promise<void> {
    for (const [key, work] of kept) if (closed || !(await run(key, work))) return;
  }

  return {
    attempt(key, store) {
      return run(key, kept.get(key) ?? keep(key, store));
    },
    retry(key) {
      const work = kept.get(key);
      return work === undefined ? Promise.resolve(true) : run(key, work);
    },
    enqueue(key, store) {
      keep(key, store);
      arm();
    },
    async close() {
      closed = true;
      timer?.cancel();
      await Promise.all([...kept.values()].map((work) => work.attempt));
    },
  };
}
