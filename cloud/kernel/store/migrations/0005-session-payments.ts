/** The single payments for sessions. */
import { BIG, create, ID, INTEGER, OPTIONAL_TEXT, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'session_payments', {
    columns: {
      id: ID,
      account_id: INTEGER,
      lot_id: INTEGER,
      session_id: INTEGER,
      amount_minor: BIG,
      reference: OPTIONAL_TEXT,
      source_type: TEXT,
      source_id: INTEGER,
      created_at: TIME,
    },
    indices: [['session_id']],
  });
}
