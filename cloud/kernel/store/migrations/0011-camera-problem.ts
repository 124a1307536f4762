/** Why a camera does not work as it should, as its gateway reported. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('lpr_cameras').addColumn('problem', 'text').execute();
}
