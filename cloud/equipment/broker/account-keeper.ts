/** Keeps the accounts at an external broker as the database says, and tries again for as long as the broker cannot be reached. */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Logger } from '../../../shared/logger.js';
import type { BrokerAccounts, GatewayCredentials } from './broker-accounts.js';

export interface AccountKeeper {
  /** Brings one gateway's account to what the database says now. Rejects when that failed; it is then tried again in the background. */
  settle(uuid: GatewayUuid): Promise<void>;
  /** Brings all accounts to what the database says, in the background, until it is done. */
  reconcile(): void;
  close(): Promise<void>;
}

const PAUSES: BackoffLimits = { baseMs: 1_000, maxMs: 30_000 };

interface KeeperDeps {
  accounts: BrokerAccounts;
  credentials: GatewayCredentials;
  clock: Clock;
  logger: Logger;
}

export function createAccountKeeper(deps: KeeperDeps): AccountKeeper {
  const { accounts, credentials, clock, logger } = deps;
  const settle = createSettling(deps);
  let reconciling: Promise<void> | null = null;
  let isAskedAgain = false;
  let attempt = 0;
  let timer: Timer | undefined;
  let isClosed = false;

  function reconcile(): void {
    if (isClosed) return;
    timer?.cancel();
    if (reconciling !== null) {
      isAskedAgain = true;
      return;
    }
    isAskedAgain = false;
    reconciling = accounts
      .reconcile(credentials)
      .then(
        () => {
          attempt = 0;
        },
        (error: unknown) => {
          if (!isClosed)
            logger.warn(
              { err: error },
              'the accounts at the broker could not be compared with the database: it is tried again',
            );
          retry();
        },
      )
      .finally(() => {
        reconciling = null;
        if (isAskedAgain) reconcile();
      });
  }

  function retry(): void {
    if (isClosed) return;
    timer?.cancel();
    timer = clock.setTimer(PAUSES.baseMs / 2 + backoffDelayMs(PAUSES, attempt, Math.random()), reconcile);
    attempt += 1;
  }

  return {
    settle(uuid) {
      return settle(uuid).catch((error: unknown) => {
        retry();
        throw error;
      });
    },
    reconcile,
    async close() {
      isClosed = true;
      timer?.cancel();
      await accounts.close();
      await reconciling;
    },
  };
}

/** Brings one gateway's account to what the database says. Calls for the same gateway follow each other, so that the latest read counts. */
function createSettling({ accounts, credentials }: Pick<KeeperDeps, 'accounts' | 'credentials'>) {
  const queue = createMutex<GatewayUuid>();

  async function settleNow(uuid: GatewayUuid): Promise<void> {
    for (let before: string | null | undefined; ; ) {
      const credential = await credentials.find(uuid);
      const password = credential?.password ?? null;
      // Another process may have changed the credential while the broker was given the one before.
      if (password === before) return;
      await (credential === null ? accounts.revoke(uuid) : accounts.grant(credential));
      before = password;
    }
  }

  return (uuid: GatewayUuid): Promise<void> => queue.run(uuid, () => settleNow(uuid));
}
