/** What the sensors of a parking gateway say, described as data. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('parking_gateways').addColumn('mapping', 'text').execute();
}
