/** Since when a lot is held open in an emergency, and who opened it. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('lots').addColumn('released_at', 'bigint').execute();
  await db.schema.alterTable('lots').addColumn('released_by', 'text').execute();
}
