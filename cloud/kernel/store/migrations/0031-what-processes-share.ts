/** What one cloud process knows of gateways and commands, and the next one has to know, too. */
import { create, INTEGER, OPTIONAL_INTEGER, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'product_receptions', {
    columns: {
      product_id: partOf('products'),
      gateway_id: partOf('gateways'),
      is_proven: INTEGER,
      rssi: OPTIONAL_INTEGER,
      heard_at: TIME,
    },
    primaryKey: ['product_id', 'gateway_id', 'is_proven'],
    indices: [['gateway_id']],
  });
  await create(db, 'gateway_boots', {
    columns: { gateway_id: partOf('gateways'), boot_id: TEXT, began_at: TIME, noted_at: TIME },
    primaryKey: ['gateway_id', 'boot_id'],
  });
  await db.schema
    .alterTable('commands')
    .addColumn('is_emergency', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
