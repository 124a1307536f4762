/** Gives long reads their turns: accounts take turns, so that no account's lists and sums make another account wait long. */
import type { Clock } from '../../shared/clock.js';
import { createFairQueue } from '../../shared/fair-queue.js';
import type { CloudStore } from './cloud-store.js';
import type { DatabaseDriver } from './database-driver.js';
import { withinTime } from './within-time.js';

/** How many of a kind run at once; an account has one of them. */
const RUNNING_MAX = 2;
const WAITING_MAX = 1_000;
const WAITING_PER_ACCOUNT_MAX = 100;

export function createReportTurns(deps: { run: DatabaseDriver['report']; clock: Clock }): CloudStore['report'] {
  const queueOf = (name: string) =>
    createFairQueue({
      name,
      concurrency: RUNNING_MAX,
      runningPerShareMax: 1,
      waitingMax: WAITING_MAX,
      waitingPerShareMax: WAITING_PER_ACCOUNT_MAX,
    });
  const queues = { page: queueOf('lists'), sum: queueOf('sums') };
  return ({ account_id, kind, signal }, work) =>
    withinTime({ clock: deps.clock, signal }, (inTime) =>
      queues[kind].run(String(account_id), () => deps.run(work, inTime), inTime),
    );
}
