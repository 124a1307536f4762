/** How well gateways heard products, hour by hour. */
import { BIG, create, INTEGER, partOf, type Schema, TEXT } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'product_signals', {
    columns: { product_id: partOf('products'), gateway_id: INTEGER, hour: BIG, counts: TEXT },
    primaryKey: ['product_id', 'hour', 'gateway_id'],
    indices: [['hour']],
  });
}
