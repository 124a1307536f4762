/** Sees to it that the last word about each thing is stored, one record at a time: what changes while one is being stored is told after it. */
import type { Logger } from '../../shared/logger.js';
import type { SensorRecord } from '../store/agent-store.js';

export interface Telling<Status> {
  /** Unless it was told already. What the store refuses is told when this is called again. */
  tell(status: Status, event_ms: number): void;
  /** The last word, stored or not; null: none yet. */
  last(): Status | null;
}

export interface Teller {
  /** @param told what was stored last */
  of<Status>(told: Status | null, recordOf: (status: Status, event_ms: number) => SensorRecord): Telling<Status>;
  /** Resolves when nothing is being stored. */
  idle(): Promise<void>;
}

export function createTeller(deps: { record(record: SensorRecord): Promise<void>; logger: Logger }): Teller {
  const underway = new Set<Promise<void>>();
  let isRefused = false;

  async function store(record: SensorRecord): Promise<boolean> {
    try {
      await deps.record(record);
      isRefused = false;
      return true;
    } catch (error) {
      if (!isRefused) deps.logger.error({ err: error }, 'changes of sensors cannot be kept: they are tried again');
      isRefused = true;
      return false;
    }
  }

  return {
    of<Status>(initiallyTold: Status | null, recordOf: (status: Status, event_ms: number) => SensorRecord) {
      let told = initiallyTold;
      let wanted: { status: Status; event_ms: number } | null = null;
      let isBusy = false;

      /** One at a time; what was wanted meanwhile goes after it. */
      async function storeWanted(): Promise<void> {
        if (wanted === null || wanted.status === told) return;
        const { status, event_ms } = wanted;
        if (!(await store(recordOf(status, event_ms)))) return;
        told = status;
        await storeWanted();
      }

      return {
        tell(status: Status, event_ms: number) {
          if (wanted?.status !== status) wanted = { status, event_ms };
          if (isBusy || status === told) return;
          isBusy = true;
          const stored = storeWanted().finally(() => {
            isBusy = false;
            underway.delete(stored);
          });
          underway.add(stored);
        },
        last: () => wanted?.status ?? told,
      };
    },
    async idle() {
      await Promise.all(underway);
    },
  };
}
