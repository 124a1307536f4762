/** Lets few exports of an account run at once: each holds its connection as long as its reader takes. */
import type { Clock } from '../../../shared/clock.js';
import { createFairQueue } from '../../../shared/fair-queue.js';
import { withinTime } from '../store/within-time.js';

const RUNNING_MAX = 100;
const RUNNING_PER_ACCOUNT_MAX = 2;
const WAITING_MAX = 1_000;
const WAITING_PER_ACCOUNT_MAX = 20;

export interface ExportTurns {
  /**
   * Waits for a turn of the account, which then lasts until the signal is aborted.
   * @throws StoreError `stopped` after 30 s, or when too many wait already
   */
  begin(account_id: number, signal: AbortSignal): Promise<void>;
}

export function createExportTurns({ clock }: { clock: Clock }): ExportTurns {
  const queue = createFairQueue({
    name: 'exports',
    concurrency: RUNNING_MAX,
    runningPerShareMax: RUNNING_PER_ACCOUNT_MAX,
    waitingMax: WAITING_MAX,
    waitingPerShareMax: WAITING_PER_ACCOUNT_MAX,
  });
  return {
    begin: (account_id, signal) =>
      withinTime(
        { clock, signal },
        (inTime) =>
          new Promise<void>((begin, refuse) => {
            const turn = () =>
              new Promise<void>((end) => {
                signal.addEventListener('abort', () => end(), { once: true });
                if (signal.aborted) end();
                begin();
              });
            queue.run(String(account_id), turn, inTime).catch(refuse);
          }),
      ),
  };
}
