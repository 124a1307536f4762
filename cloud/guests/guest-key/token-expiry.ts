/** Ends keys whose time is over (specification, "States and transitions": the hourly check). */
import { type Clock, every } from '../../../shared/clock.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Logger } from '../../../shared/logger.js';
import type { ConfigChanged } from '../../rest/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { expireTokens } from './key-queries.js';

export interface TokenExpiryDeps {
  store: Pick<CloudStore, 'change'>;
  clock: Clock;
  logger: Logger;
  periodMs: number;
  /** Gateways may know a key that ended; they no longer admit it, because they know its end themselves. */
  configChanged: ConfigChanged;
  /** Whether this process of several ends keys. */
  isDue: () => boolean;
}

export interface TokenExpiry {
  /** Ends keys now as well: the process that did it before may have stopped before its next check. */
  checkNow(): void;
  close(): Promise<void>;
}

/** Ends keys at once, and then every period. */
export function startTokenExpiry(deps: TokenExpiryDeps): TokenExpiry {
  const { store, clock, logger, periodMs, configChanged, isDue } = deps;
  const turns = createMutex<'check'>();

  async function check(): Promise<void> {
    if (!isDue()) return;
    await store.change(async (tx) => {
      const { count, lot_ids } = await expireTokens(tx, clock.now());
      tx.onCommit(() => {
        if (count > 0) logger.info({ count }, 'operation tokens have expired');
        for (const lot_id of lot_ids) configChanged({ lot_id }, ['plates']);
      });
    });
  }

  const onError = (error: unknown) =>
    logger.error({ err: error }, 'operation tokens could not be checked; it is tried again');
  const work = () => turns.run('check', check);
  const checkNow = () => void work().catch(onError);
  const timer = every({ clock, periodMs, work, onError });
  checkNow();

  return {
    checkNow,
    async close() {
      timer.cancel();
      await turns.idle();
    },
  };
}
