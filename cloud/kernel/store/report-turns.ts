/**
 * Gives long reads their turns: accounts take turns, so that no account's lists and sums make another account wait long. Those that used up
 * much time of late leave a place to the others: two whose every sum takes as long as it may would else hold all places.
 */
import type { Clock } from '../../../shared/clock.js';
import { createFairQueue } from '../../../shared/fair-queue.js';
import type { CloudStore } from './cloud-store.js';
import type { DatabaseDriver } from './database-driver.js';
import { createUsedTimes } from './used-times.js';
import { withinTime } from './within-time.js';

/** How many of a kind run at once; an account has one of them. */
const RUNNING_MAX = 2;
/** And so many more of accounts that used little time. */
const SPARE = 1;
const WAITING_MAX = 1_000;
const WAITING_PER_ACCOUNT_MAX = 100;

export function createReportTurns(deps: { run: DatabaseDriver['report']; clock: Clock }): CloudStore['report'] {
  const turnsOf = (name: string) => {
    const used = createUsedTimes(deps.clock);
    const queue = createFairQueue({
      name,
      concurrency: RUNNING_MAX,
      runningPerShareMax: 1,
      spare: { count: SPARE, isFor: used.isLittle },
      waitingMax: WAITING_MAX,
      waitingPerShareMax: WAITING_PER_ACCOUNT_MAX,
    });
    return { queue, used };
  };
  const turns = { page: turnsOf('lists'), sum: turnsOf('sums') };
  return ({ account_id, kind, signal }, work) => {
    const share = String(account_id);
    const { queue, used } = turns[kind];
    return withinTime({ clock: deps.clock, signal }, (inTime) =>
      queue.run(share, () => used.measure(share, () => deps.run(work, inTime)), inTime),
    );
  };
}
