import type { Generated } from 'kysely';
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import type { Tables } from './create-tables.js';
import type { JsonColumn } from './json-column.js';
import type { TablesOf, Text } from './table-types.js';

interface Leaps {
  /** The newest id when the database was last restored from a copy, which is that of no event; 0: it never was. */
  leapt_to: Generated<number>;
}

declare module './schema.js' {
  interface Database extends Omit<TablesOf<typeof JOURNAL_BASELINE>, 'journal_heads'> {
    journal_heads: TablesOf<typeof JOURNAL_BASELINE>['journal_heads'] & Leaps;
  }
}

export const JOURNAL_BASELINE = {
  /** The journal: the pushed events in the order of the commits. */
  events: {
    columns: {
      account_id: 'integer',
      /** The journal cursor: 1, 2, 3, ... in its account. */
      id: 'bigint',
      lot_id: 'integer',
      event: 'text' as Text<EventName>,
      /** Image links are written as `image:<uid>` and signed when they are sent. */
      payload: 'text' as Text<JsonColumn<EventPayload<EventName>>>,
      created_at: 'bigint',
    },
    primaryKey: ['account_id', 'id'],
    indices: [['lot_id', 'id'], ['created_at']],
  },
  /** The newest id of each account's journal. A transaction with events advances it as its last statement but one. */
  journal_heads: {
    columns: {
      account_id: 'integer',
      seq: 'bigint',
    },
    primaryKey: ['account_id'],
  },
} satisfies Tables;
