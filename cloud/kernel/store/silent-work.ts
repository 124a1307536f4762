/**
 * Ends the work of a change that waits for something other than the database while other changes wait for their turn. Where one
 * transaction writes at a time, work that waits for a change begun inside it would wait for ever, and every other change with it.
 */
import type { Clock, Timer } from '../../../shared/clock.js';
import { StoreError } from './cloud-store.js';

const SILENT_MS_MAX = 30_000;

interface Working {
  isBusy(): boolean;
  end(reason: StoreError): void;
}

export interface SilentWork {
  /** Notes that a change waits for its turn. @returns what to call when its turn has come, or will not come */
  wait(): () => void;
  /**
   * @param isBusy whether the work has a statement under way, or had one since this was asked last
   * @returns the answer of the work; rejects with StoreError `query` when it asks the database nothing for 30 s while others wait
   */
  watch<T>(isBusy: () => boolean, work: Promise<T>): Promise<T>;
}

export function createSilentWork(clock: Pick<Clock, 'setTimer'>): SilentWork {
  const working = new Set<Working>();
  let waiting = 0;
  let timer: Timer | undefined;

  function lookLater(): void {
    timer ??= clock.setTimer(SILENT_MS_MAX, () => {
      timer = undefined;
      const message = 'The work of a change waits for something else than its statements';
      for (const { isBusy, end } of working) {
        if (!isBusy()) end(new StoreError('query', `${message}: perhaps for a change begun inside a change`));
      }
      lookLater();
    });
  }

  return {
    wait() {
      waiting += 1;
      lookLater();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        waiting -= 1;
        if (waiting > 0) return;
        timer?.cancel();
        timer = undefined;
      };
    },
    async watch(isBusy, work) {
      let watched: Working | undefined;
      const ended = new Promise<never>((_resolve, reject) => (watched = { isBusy, end: reject }));
      if (watched !== undefined) working.add(watched);
      try {
        return await Promise.race([work, ended]);
      } finally {
        if (watched !== undefined) working.delete(watched);
      }
    },
  };
}
