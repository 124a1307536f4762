import { every, type Clock, type Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { type CloudStore, pruneEvents } from '../../kernel/entry.js';
import { HOUR_MS } from '../../../shared/durations.js';

const PRUNE_EVERY_MS = 10 * 60_000;
/** How many rows one transaction deletes, so that ingest never waits long for the writer. */
const ROWS_PER_TRANSACTION = 2_000;

/** Deletes events older than the retention, now and then for as long as the timer runs. */
export function startJournalRetention(deps: {
  store: CloudStore;
  clock: Clock;
  logger: Logger;
  retentionHours: number;
}): Timer {
  const { store, clock, logger, retentionHours } = deps;
  return every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    work: async () => {
      const before = clock.now() - retentionHours * HOUR_MS;
      let deleted: number;
      let total = 0;
      do {
        deleted = await store.change((tx) => pruneEvents(tx, { before, limit: ROWS_PER_TRANSACTION }));
        total += deleted;
      } while (deleted === ROWS_PER_TRANSACTION);
      if (total > 0) logger.info({ events: total }, 'Old events left the journal');
    },
    onError: (error) => logger.error({ err: error }, 'The event journal could not be pruned; it grows until it can'),
  });
}
