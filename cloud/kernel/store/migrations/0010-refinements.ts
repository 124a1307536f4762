/** The number of the highest refinement that was applied to a reading. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('plate_readings')
    .addColumn('refinement', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
