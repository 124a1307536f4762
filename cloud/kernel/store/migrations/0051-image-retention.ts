/** For how many days an account's pictures are kept; null: as long as their readings. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('image_retention_days', 'integer').execute();
  await db.schema
    .createIndex('images_account_id_created_at')
    .on('images')
    .columns(['account_id', 'created_at'])
    .execute();
}
