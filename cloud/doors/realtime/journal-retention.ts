import { every, type Clock, type Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { type CloudStore, deleteInPieces, pruneEvents } from '../../kernel/store/entry.js';
import { HOUR_MS } from '../../../shared/durations.js';

const PRUNE_EVERY_MS = 10 * 60_000;

/** Deletes events older than the retention every ten minutes, for as long as the timer runs. */
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
      const total = await deleteInPieces(store, (tx, limit) => pruneEvents(tx, { before, limit }));
      if (total > 0) logger.info({ events: total }, 'old events left the journal');
    },
    onError: (error) => logger.error({ err: error }, 'the event journal could not be pruned: it grows until it can'),
  });
}
