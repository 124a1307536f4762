/** Admin records of products: the last serial, and when the last clock record was made. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('products')
    .addColumn('admin_serial', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('products').addColumn('clock_record_at', 'bigint').execute();
}
