/** Deletes user tokens that have not been used for too long, and outdated records of sign-ins. */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { TokenRevocations } from '../../kernel/auth/entry.js';
import { endFailedSignIns } from './failed-sign-in-queries.js';
import { KNOWN_NETWORK_MS } from './login.js';
import { deleteSignInNetworksBefore } from './sign-in-network-queries.js';
import { endUserTokens } from './user-token-queries.js';

const EVERY_MS = 3_600_000;

/** Runs at once and then every hour. @param deps.lifeMs USER_TOKEN_DAYS; tokens that would live longer are shortened to it */
export function startSignInUpkeep(deps: {
  store: Pick<CloudStore, 'change'>;
  revocations: TokenRevocations;
  clock: Clock;
  logger: Logger;
  lifeMs: number;
}): { close(): Promise<void> } {
  const { store, revocations, clock, logger, lifeMs } = deps;
  let running = Promise.resolve();

  const tidy = () =>
    store.change(async (tx) => {
      const now = clock.now();
      const ended = await endUserTokens(tx, { now, latest: now + lifeMs });
      await deleteSignInNetworksBefore(tx, now - KNOWN_NETWORK_MS);
      await endFailedSignIns(tx, { before: now - EVERY_MS, now });
      tx.onCommit(() => revocations.revoke(ended.map((token_id) => ({ kind: 'user', token_id }))));
    });
  const onError = (error: unknown) => logger.error({ err: error }, 'the upkeep of sign-ins failed; it is tried again');
  const work = () => (running = tidy());
  const timer = every({ clock, periodMs: EVERY_MS, work, onError });
  work().catch(onError);

  return {
    async close() {
      timer.cancel();
      await running.catch(() => {});
    },
  };
}
