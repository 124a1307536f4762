/**
 * Gives long reads their turns: accounts take turns, so that no account's lists and sums make another account wait long. Those that used up
 * much time of late leave a place to the others: two whose every sum takes as long as it may would else hold all places.
 */
import type { Clock } from '../../../shared/clock.js';
import { createBuckets } from '../../../shared/flow/buckets.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { CloudStore } from './cloud-store.js';
import type { DatabaseDriver } from './database-driver.js';
import { withinTime } from './within-time.js';

/** How many of a kind run at once; an account has one of them. */
const RUNNING_MAX = 2;
/** And so many more of accounts that used little time. */
const SPARE = 1;
const WAITING_MAX = 1_000;
const WAITING_PER_ACCOUNT_MAX = 100;
/** An account that used less time than this of late has used little. What it uses is forgotten four times as slowly. */
const LITTLE_MS = 5_000;
const FORGOTTEN = { eachMs: 4 };
const ACCOUNTS_MAX = 1_000;

export function createReportTurns(deps: { run: DatabaseDriver['report']; clock: Clock }): CloudStore['report'] {
  const { run, clock } = deps;
  const turnsOf = (name: string) => {
    const used = createBuckets({ clock, size: LITTLE_MS, refill: FORGOTTEN, keysMax: ACCOUNTS_MAX });
    const queue = createSemaphore({
      name,
      permits: RUNNING_MAX,
      permitsPerOwner: 1,
      spare: { count: SPARE, isFor: (account) => used.spent(account) < LITTLE_MS },
      waitingMax: WAITING_MAX,
      waitingPerOwnerMax: WAITING_PER_ACCOUNT_MAX,
    });
    return { queue, used };
  };
  const turns = { page: turnsOf('lists'), sum: turnsOf('sums') };
  return ({ account_id, kind, signal }, work) => {
    const account = String(account_id);
    const { queue, used } = turns[kind];
    return withinTime({ clock, signal }, (inTime) =>
      queue.run(
        account,
        () => {
          const beganMs = clock.monotonic();
          return run(work, inTime).finally(() => used.owe(account, clock.monotonic() - beganMs));
        },
        inTime,
      ),
    );
  };
}
