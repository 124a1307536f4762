/** Stores the last state of each thing, one record at a time. A change during a write is stored after it. */
import type { TimeSource } from '../../shared/decide-device-time.js';
import type { Logger } from '../../shared/logger.js';
import type { SensorRecord } from '../store/agent-store.js';

/** One thing's state on its way into the store. */
export interface RecordedState<Status> {
  /**
   * Stores the state, unless it is the stored one. A state that the store refuses is tried again with the next call.
   */
  set(status: Status, event_ms: number, time_source?: TimeSource): void;
  /** The last state that was set, stored or not; null: none yet. */
  latest(): Status | null;
}

export interface StateRecorder {
  /** @param stored the status that an earlier start of the agent stored last; null: none */
  track<Status>(
    stored: Status | null,
    recordOf: (status: Status, event_ms: number, time_source?: TimeSource) => SensorRecord,
  ): RecordedState<Status>;
  /** Resolves when nothing is being stored. */
  settled(): Promise<void>;
}

export function createStateRecorder(deps: {
  store(record: SensorRecord): Promise<void>;
  logger: Logger;
}): StateRecorder {
  const underway = new Set<Promise<void>>();
  let isRefused = false;

  async function tryStore(record: SensorRecord): Promise<boolean> {
    try {
      await deps.store(record);
      isRefused = false;
      return true;
    } catch (error) {
      if (!isRefused) deps.logger.error({ err: error }, 'changes of sensors cannot be kept: they are tried again');
      isRefused = true;
      return false;
    }
  }

  return {
    track<Status>(
      storedBefore: Status | null,
      recordOf: (status: Status, event_ms: number, time_source?: TimeSource) => SensorRecord,
    ) {
      let stored = storedBefore;
      let wanted: { status: Status; event_ms: number; time_source?: TimeSource | undefined } | null = null;
      let isBusy = false;

      /** Stores one record at a time, until the wanted status is stored. */
      async function storeWanted(): Promise<void> {
        if (wanted === null || wanted.status === stored) return;
        const { status, event_ms, time_source } = wanted;
        if (!(await tryStore(recordOf(status, event_ms, time_source)))) return;
        stored = status;
        await storeWanted();
      }

      return {
        set(status: Status, event_ms: number, time_source?: TimeSource) {
          if (wanted?.status !== status) wanted = { status, event_ms, time_source };
          if (isBusy || status === stored) return;
          isBusy = true;
          const storing = storeWanted().finally(() => {
            isBusy = false;
            underway.delete(storing);
          });
          underway.add(storing);
        },
        latest: () => wanted?.status ?? stored,
      };
    },
    async settled() {
      await Promise.all(underway);
    },
  };
}
