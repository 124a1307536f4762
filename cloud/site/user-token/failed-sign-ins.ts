/** Records failed sign-ins in the audit log and the program's log, in bounded numbers, so that an attacker cannot flood either of them. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { countFailedSignIn } from './failed-sign-in-queries.js';

/** How often sign-ins with unknown mail addresses are logged at most. */
const UNKNOWN_LOGGED_EVERY_MS = 60_000;

export interface FailedSignIns {
  /**
   * Records one failed sign-in. The caller does not wait for it, so that the response time does not reveal who has an account.
   * @param failed.users the users with the mail address; empty: nobody has it
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

  /** The mail address is not logged, because it may be a password that was typed into the wrong field. */
  const noteUnknown = (address: string) => {
    unknown.count += 1;
    if (clock.monotonic() - unknown.loggedAt < UNKNOWN_LOGGED_EVERY_MS) return;
    logger.warn({ address, failures_count: unknown.count }, 'sign-ins failed: no user has these mail addresses');
    unknown = { count: 0, loggedAt: clock.monotonic() };
  };

  const count = async (user: { id: number; account_id: number }, address: string) => {
    const { id: account_user_id, account_id } = user;
    // It has its own entry in the audit log: that of the request is of a sign-in that succeeds.
    const failures_count = await store.change((tx) =>
      countFailedSignIn(tx, { account_user_id, account_id, address, now: clock.now() }),
    );
    if (failures_count !== null) logger.warn({ account_user_id, address, failures_count }, 'a sign-in failed');
  };

  return {
    note({ users, address }) {
      if (users.length === 0) noteUnknown(address);
      for (const user of users) {
        // This transaction writes its own audit entry: that of the request is for a sign-in that succeeds.
        count(user, address).catch((error: unknown) => {
          logger.error({ err: error }, 'a failed sign-in could not be counted');
        });
      }
    },
  };
}
