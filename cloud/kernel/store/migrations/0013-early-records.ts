/** Renames the records that name a uid that is not there yet: they are early, and only vehicles are parked. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.dropIndex('parked_records_waits_for_uid').execute();
  await db.schema.alterTable('parked_records').renameTo('early_records').execute();
  await db.schema.createIndex('early_records_waits_for_uid').on('early_records').column('waits_for_uid').execute();
}
