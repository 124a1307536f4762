/** A repeated answer names the version that the first one named. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('idempotency_keys').addColumn('etag', 'text').execute();
}
