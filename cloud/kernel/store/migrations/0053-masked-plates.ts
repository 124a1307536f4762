/** Whether an account's console shows plates only to who asks for them. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('accounts')
    .addColumn('mask_plates', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
