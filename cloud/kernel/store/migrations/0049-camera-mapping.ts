/** How to read what a camera posts, described as data. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('lpr_cameras').addColumn('mapping', 'text').execute();
}
