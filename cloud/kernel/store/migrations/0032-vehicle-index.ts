/**
 * All that vehicle analytics say of a session stands in the index by which they group: reading each session beside it took more than half
 * of their time. The sessions of one plate are listed by the index that has the account and the plate alone, in which they stand by id.
 */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .createIndex('sessions_vehicles')
    .on('sessions')
    .columns(['account_id', 'plate_normalised', 'lot_id', 'created_at', 'ended_at', 'currency', 'amount_paid_minor'])
    .execute();
}
