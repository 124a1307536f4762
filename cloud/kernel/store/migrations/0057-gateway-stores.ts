/** Whether gateways can write what they record. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('gateway_health')
    .addColumn('is_store_ok', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
}
