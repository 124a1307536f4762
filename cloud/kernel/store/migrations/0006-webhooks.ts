/** Webhooks and their deliveries. */
import {
  BIG,
  create,
  ID,
  INTEGER,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  partOf,
  type Schema,
  TEXT,
  TIME,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'webhooks', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      url: TEXT,
      events: TEXT,
      is_active: INTEGER,
      last_status: OPTIONAL_INTEGER,
      disabled_at: OPTIONAL_TIME,
      secret_sealed: TEXT,
      cursor: BIG,
      ...TIMESTAMPS,
    },
    indices: [['account_id']],
  });
  await create(db, 'webhook_deliveries', {
    columns: {
      id: ID,
      webhook_id: partOf('webhooks'),
      journal_id: BIG,
      lot_id: INTEGER,
      event: TEXT,
      payload: TEXT,
      occurred_at: TIME,
      status_code: OPTIONAL_INTEGER,
      error: OPTIONAL_TEXT,
      attempt: INTEGER,
      tries_began_at: TIME,
      next_attempt_at: TIME,
      lease_ends_at: OPTIONAL_TIME,
      ended_at: OPTIONAL_TIME,
      created_at: TIME,
    },
    unique: [['webhook_id', 'journal_id']],
    // There is no index of ended_at, because SQLite would use it for every query of open rows.
    indices: [['created_at']],
    indicesOfOpen: [
      ['webhook_id', 'next_attempt_at'],
      ['webhook_id', 'lot_id', 'next_attempt_at'],
      ['next_attempt_at'],
      ['lease_ends_at'],
    ],
  });
}
