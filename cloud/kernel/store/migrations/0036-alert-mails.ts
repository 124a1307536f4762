/** When a receiver was last mailed of a plate. */
import { create, ID, INTEGER, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'alert_mails', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      plate_normalised: TEXT,
      receiver_email: TEXT,
      // The receiver is reminded of a plate, not of a reading: the id refers to nothing.
      plate_reading_id: INTEGER,
      mailed_at: TIME,
    },
    unique: [['account_id', 'plate_normalised', 'receiver_email']],
  });
}
