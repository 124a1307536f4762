import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import type { Generated } from 'kysely';
import type { Schema, Tables } from './create-tables.js';
import type { JsonColumn } from './json-column.js';

/** The newest id of each account's journal. A transaction with events advances it as its last statement but one. */
interface JournalHeadsTable {
  account_id: number;
  seq: number;
  /** The newest id when the database was last restored from a copy, which is that of no event; 0: it never was. */
  leapt_to: Generated<number>;
}

/** The journal: the pushed events in the order of the commits. */
interface EventsTable {
  account_id: number;
  /** The journal cursor: 1, 2, 3, ... in its account. */
  id: number;
  lot_id: number;
  event: EventName;
  /** Image links are written as `image:<uid>` and signed when they are sent. */
  payload: JsonColumn<EventPayload<EventName>>;
  created_at: number;
}

declare module './schema.js' {
  interface Database {
    journal_heads: JournalHeadsTable;
    events: EventsTable;
  }
}

export const JOURNAL_BASELINE: Tables = {
  events: {
    columns: {
      account_id: 'integer',
      id: 'bigint',
      lot_id: 'integer',
      event: 'text',
      payload: 'text',
      created_at: 'bigint',
    },
    primaryKey: ['account_id', 'id'],
    indices: [['lot_id', 'id'], ['created_at']],
  },
  journal_heads: {
    columns: {
      account_id: 'integer',
      seq: 'bigint',
    },
    primaryKey: ['account_id'],
  },
};

export async function addLeaps(db: Schema): Promise<void> {
  await db.schema
    .alterTable('journal_heads')
    .addColumn('leapt_to', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
