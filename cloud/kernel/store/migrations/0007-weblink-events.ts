/** The last command of a weblink, which its holder may see. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('weblinks').addColumn('last_event_id', 'text').execute();
}
