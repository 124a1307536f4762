/** The event journal of one transaction: checked at once, written as its last statement, pushed after the commit. */
import { EVENT_SCHEMAS } from '../../shared/events/event-schemas.js';
import type { Db, EventRecorder, JournalEvent } from './cloud-store.js';

/** Rows of one INSERT; six values each stay far below the database's bound. */
const ROWS_PER_INSERT = 500;

interface Collector {
  recorder: EventRecorder;
  /** Writes what was recorded and returns it in order, with the ids it got. */
  write(tx: Db): Promise<JournalEvent[]>;
}

export function createEventCollector(now: () => number): Collector {
  const collected: { event: JournalEvent; journalled: boolean }[] = [];
  return {
    recorder: {
      async record({ account_id, lot_id, event, payload, journalled = true }) {
        const checked = EVENT_SCHEMAS[event].safeParse(payload);
        if (!checked.success) {
          throw new Error(`Event ${event} is not what the specification says: ${checked.error.message}`);
        }
        if (lot_id === null) return;
        collected.push({
          event: { id: null, account_id, lot_id, event, payload: checked.data, created_at: now() },
          journalled,
        });
      },
    },
    async write(tx) {
      const kept = collected.filter(({ journalled }) => journalled).map(({ event }) => event);
      for (let start = 0; start < kept.length; start += ROWS_PER_INSERT) {
        const chunk = kept.slice(start, start + ROWS_PER_INSERT);
        const rows = chunk.map(({ account_id, lot_id, event, payload, created_at }) => ({
          account_id,
          lot_id,
          event,
          payload: JSON.stringify(payload),
          created_at,
        }));
        const inserted = await tx.insertInto('events').values(rows).returning('id').execute();
        // Ids grow in the order of the rows, but RETURNING promises no order.
        const ids = inserted.map(({ id }) => id).sort((a, b) => a - b);
        for (const [index, event] of chunk.entries()) event.id = ids[index] ?? null;
      }
      return collected.map(({ event }) => event);
    },
  };
}
