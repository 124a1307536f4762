/** Measures the journal: what this process writes into it, and what is in it. */
import { Counter } from 'prom-client';
import { addDatabaseGauges, type DatabaseGaugeDeps } from '../measure/database-gauges.js';
import type { Clock } from '../../../shared/clock.js';
import type { CloudStore } from './cloud-store.js';
import { journalExtent } from './journal-queries.js';
import { ageS } from '../measure/age.js';

export function measureJournal(
  store: Pick<CloudStore, 'reader' | 'onEvents'>,
  deps: Omit<DatabaseGaugeDeps, 'clock'> & { clock: Clock },
): void {
  const { registry, clock } = deps;
  const written = new Counter({
    name: 'parking_journal_events_total',
    help: 'Events that this process wrote into the journal, by their name',
    labelNames: ['event'],
    registers: [registry],
  });
  store.onEvents((events) => {
    for (const { id, event } of events) if (id !== null) written.inc({ event });
  });
  addDatabaseGauges(
    deps,
    async () => {
      const { head, oldest_at } = await journalExtent(store.reader);
      return { head, oldest: oldest_at === null ? null : ageS(oldest_at, clock.now()) };
    },
    {
      head: {
        name: 'parking_journal_head',
        help: 'How many events the journals of all accounts ever had, together: it grows by one with each',
      },
      oldest: {
        name: 'parking_journal_oldest_seconds',
        help: 'Age of the oldest event in the journal, the newest of each account aside, which always stays',
      },
    },
  );
}
