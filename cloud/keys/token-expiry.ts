/** Ends keys whose time is over (specification, "Transitions shown": the hourly check). */
import { type Clock, every } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { CloudStore } from '../store/cloud-store.js';
import { expireTokens } from '../store/queries/keys.js';

export interface TokenExpiryDeps {
  store: Pick<CloudStore, 'change'>;
  clock: Clock;
  logger: Logger;
  periodMs: number;
  /** Called for each lot whose gateways may know a key that ended. They do not admit it any more: they know its end themselves. */
  onExpired(lot: { lot_id: number }): void;
}

/** Looks at once, then every period. */
export function startTokenExpiry(deps: TokenExpiryDeps): { close(): Promise<void> } {
  const { store, clock, logger, periodMs, onExpired } = deps;
  let running = Promise.resolve();

  async function check(): Promise<void> {
    const { count, lot_ids } = await store.change((tx) => expireTokens(tx, clock.now()));
    if (count > 0) logger.info({ count }, 'operation tokens have expired');
    for (const lot_id of lot_ids) onExpired({ lot_id });
  }

  const onError = (error: unknown) =>
    logger.error({ error }, 'operation tokens could not be checked; it is tried again');
  const work = () => (running = check());
  const timer = every({ clock, periodMs, work, onError });
  work().catch(onError);

  return {
    async close() {
      timer.cancel();
      await running.catch(() => {});
    },
  };
}
