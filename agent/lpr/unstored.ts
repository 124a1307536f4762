/**
 * Work the store must do: tried at once, and when the store refuses (disk full, read-only, I/O error) kept and tried again,
 * by whoever asks for it and in the background, in its order. Bounded: the oldest goes first.
 */
import type { Clock, Timer } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';

const RETRY_EVERY_MS = 5_000;
const KEPT_MAX = 1_000;

interface Work {
  store: () => Promise<void>;
  /** null: no attempt is going on. */
  attempt: Promise<boolean> | null;
}

export interface Unstored {
  has(key: string): boolean;
  /** Tries now; resolves with whether it is stored. An attempt already going on for the key is joined, and its own `store` kept. */
  attempt(key: string, store: () => Promise<void>): Promise<boolean>;
  /** Tries kept work again; true when there is none of that key. */
  again(key: string): Promise<boolean>;
  /** Keeps work for the background, behind what is kept already. */
  later(key: string, store: () => Promise<void>): void;
  /** No further attempts; waits for those going on. */
  close(): Promise<void>;
}

export function createUnstored(deps: { clock: Clock; logger: Logger }): Unstored {
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
        logger.error({ err: error, key, unstored: kept.size }, 'not stored: tried again');
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
      logger.error({ key: oldest, kept: KEPT_MAX }, 'given up: the store refuses for too long');
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
    has: (key) => kept.has(key),
    attempt(key, store) {
      return run(key, kept.get(key) ?? keep(key, store));
    },
    again(key) {
      const work = kept.get(key);
      return work === undefined ? Promise.resolve(true) : run(key, work);
    },
    later(key, store) {
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
