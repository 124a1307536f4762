/** Deliveries to webhooks have their columns by the names that mails have them by. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('webhook_deliveries').renameColumn('attempt', 'attempts').execute();
  await db.schema.alterTable('webhook_deliveries').renameColumn('error', 'last_error').execute();
}
