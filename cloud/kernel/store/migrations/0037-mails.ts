/** Mails on their way: to guests who get a key, and to receivers of license plate alerts. */
import {
  create,
  INTEGER,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  ID,
  partOf,
  type Schema,
  TEXT,
  TIME,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'mails', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      // A mail outlives its lot: the id refers to nothing.
      lot_id: OPTIONAL_INTEGER,
      kind: TEXT,
      receiver_email: TEXT,
      locale: OPTIONAL_TEXT,
      content: TEXT,
      message_id: OPTIONAL_TEXT,
      status: TEXT,
      attempts: INTEGER,
      last_error: OPTIONAL_TEXT,
      tries_began_at: OPTIONAL_TIME,
      next_attempt_at: TIME,
      lease_ends_at: OPTIONAL_TIME,
      tried_at: OPTIONAL_TIME,
      ended_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['account_id', 'updated_at'], ['tried_at'], ['receiver_email', 'tried_at'], ['ended_at']],
    indicesOfOpen: [['next_attempt_at'], ['account_id', 'next_attempt_at']],
  });
}
