/** Collects the events of one transaction. They are checked at once, written as its last statement, and pushed after the commit. */
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import { groupBy } from '../../../shared/grouping.js';
import type { ChangeHandle, Db, JournalEvent } from './cloud-store.js';
import { advanceJournalHeads } from './journal-queries.js';
import { insertRows } from './rows-of-statement.js';

interface EventCollector {
  add: ChangeHandle['journal'];
  /** Writes the events and returns them in order, with their ids. */
  write(tx: Db): Promise<JournalEvent[]>;
}

/** @param now wall milliseconds */
export function createEventCollector(now: () => number): EventCollector {
  const collected: { event: JournalEvent; isKept: boolean }[] = [];
  return {
    add({ account_id, lot_id, event, payload, isKept = true }) {
      const checked = EVENT_SCHEMAS[event].safeParse(payload);
      if (!checked.success) {
        throw new Error(`Event ${event} is not what the specification says: ${checked.error.message}`);
      }
      if (lot_id === null) return;
      collected.push({
        event: { id: null, account_id, lot_id, event, payload: checked.data, created_at: now() },
        isKept,
      });
    },
    async write(tx) {
      const events = collected.map(({ event }) => event);
      const kept = collected.filter(({ isKept }) => isKept).map(({ event }) => event);
      await numberEvents(tx, kept);
      const rows = kept.map(({ id, payload, ...event }) => ({
        ...event,
        id: requireId(id),
        payload: JSON.stringify(payload),
      }));
      await insertRows(tx, 'events', rows);
      return events;
    },
  };
}

/**
 * Gives each event the next id of its account. The account's head row is locked from then until the commit, so ids have no gap and follow
 * the order of the commits: a reader who has seen an id has seen all before it.
 */
async function numberEvents(tx: Db, events: readonly JournalEvent[]): Promise<void> {
  const byAccount = groupBy(events, ({ account_id }) => account_id);
  const counts = Array.from(byAccount, ([account_id, own]) => ({ account_id, by: own.length }));
  const newest = await advanceJournalHeads(tx, counts);
  for (const [account_id, own] of byAccount) {
    const before = (newest.get(account_id) ?? 0) - own.length;
    for (const [index, event] of own.entries()) event.id = before + 1 + index;
  }
}

function requireId(id: number | null): number {
  if (id === null) throw new Error('an event of the journal has no id');
  return id;
}
