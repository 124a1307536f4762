/** Cameras that are heard at their vendor's fixed path without a key: none, until somebody says so. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('lpr_cameras')
    .addColumn('push_without_key', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
