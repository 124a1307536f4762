/** What is kept of sign-ins that fail. Whoever floods the sign-in fills neither the audit log nor the log of the program. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/entry.js';
import { countFailedSignIn } from './failed-sign-in-queries.js';

/** How often sign-ins with mails that nobody has are logged at most. */
const UNKNOWN_LOGGED_EVERY_MS = 60_000;

export interface FailedSignIns {
  /**
   * Notes one. The caller does not wait for it, so that nobody learns from the time who has an account.
   * @param failed.users whose mail it was; empty: nobody's
   */
  note(failed: { users: readonly { id: number; account_id: number }[]; address: string }): void;
}

export function createFailedSignIns(deps: {
  store: Pick<CloudStore, 'change'>;
  clock: Clock;
  logger: Logger;
}): FailedSignIns {
  const { store, clock, logger } = deps;
  let unknown = { count: 0, loggedAt: Number.NEGATIVE_INFINITY };

  /** A mail may be a password in the wrong field, so it is not logged. */
  const noteUnknown = (address: string) => {
    unknown.count += 1;
    if (clock.monotonic() - unknown.loggedAt < UNKNOWN_LOGGED_EVERY_MS) return;
    logger.warn({ address, failures_count: unknown.count }, 'Sign-ins failed: nobody has these mails');
    unknown = { count: 0, loggedAt: clock.monotonic() };
  };

  const count = async (user: { id: number; account_id: number }, address: string) => {
    const { id: account_user_id, account_id } = user;
    // It has its own entry in the audit log: that of the request is of a sign-in that succeeds.
    const failures_count = await store.change((tx) =>
      countFailedSignIn(tx, { account_user_id, account_id, address, now: clock.now() }),
    );
    if (failures_count !== null) logger.warn({ account_user_id, address, failures_count }, 'Sign-in failed');
  };

  return {
    note({ users, address }) {
      if (users.length === 0) noteUnknown(address);
      for (const user of users) {
        count(user, address).catch((error: unknown) => {
          logger.error({ err: error }, 'A failed sign-in could not be counted');
        });
      }
    },
  };
}
