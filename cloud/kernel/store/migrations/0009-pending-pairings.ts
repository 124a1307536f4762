/** Master keys that products were offered and have not confirmed yet. */
import { create, INTEGER, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'pending_pairings', {
    columns: {
      product_id: partOf('products'),
      epoch: INTEGER,
      event_id: TEXT,
      master_key_sealed: TEXT,
      created_at: TIME,
    },
    primaryKey: ['product_id', 'epoch'],
  });
}
