/** Lets few exports of an account run at once: each holds its connection as long as its reader takes. */
import type { Clock } from '../../../shared/clock.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { withinTime } from '../store/within-time.js';

const LIMITS = { permits: 100, permitsPerOwner: 2, waitingMax: 1_000, waitingPerOwnerMax: 20 };

export interface ExportTurns {
  /**
   * Waits for a turn of the account, which then lasts until the signal is aborted.
   * @throws StoreError `stopped` after 30 s, or when too many wait already
   */
  begin(account_id: number, signal: AbortSignal): Promise<void>;
}

export function createExportTurns({ clock }: { clock: Clock }): ExportTurns {
  const turns = createSemaphore({ name: 'exports', ...LIMITS });
  return {
    begin: (account_id, signal) =>
      withinTime({ clock, signal }, async (inTime) => {
        const leave = await turns.enter(String(account_id), { signals: [inTime] });
        // What ends in the same moment and still waits does not get the turn.
        signal.addEventListener('abort', () => queueMicrotask(leave), { once: true });
        if (signal.aborted) leave();
      }),
  };
}
