/** When a lot was last released, or its release ended: gateways tell of theirs late, and the newest counts. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('lots').addColumn('release_changed_at', 'bigint').execute();
}
