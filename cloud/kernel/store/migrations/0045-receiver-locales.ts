/** The languages of people to whom keys are mailed, as far as they have shown them. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('key_receivers').addColumn('locale', 'text').execute();
}
