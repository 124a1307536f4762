/** Whose time a reading has: the camera's, or that of its arrival. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('plate_readings').addColumn('time_source', 'text').execute();
}
