/** How sure a camera has to be of a plate; 0: whatever it reads counts. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('lpr_cameras')
    .addColumn('min_confidence', 'double precision', (column) => column.notNull().defaultTo(0))
    .execute();
}
