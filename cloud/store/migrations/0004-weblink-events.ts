/** What a weblink did last, for whoever holds it. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('weblinks').addColumn('last_event_id', 'text').execute();
}
