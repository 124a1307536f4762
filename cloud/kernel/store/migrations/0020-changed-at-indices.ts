/** Indices by which lists of very many rows are followed: what was changed since. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  for (const table of ['sessions', 'plate_readings', 'lot_entries']) {
    // The account comes first, as in the other indices of lists; equal times are ordered by id.
    await db.schema
      .createIndex(`${table}_account_id_updated_at`)
      .on(table)
      .columns(['account_id', 'updated_at', 'id'])
      .execute();
  }
  await db.schema
    .createIndex('audit_log_account_id_created_at')
    .on('audit_log')
    .columns(['account_id', 'created_at', 'id'])
    .execute();
}
