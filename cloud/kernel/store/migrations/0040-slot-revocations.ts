/** Slots of gateways that are gone, and which products have still to refuse them. */
import { create, ID, INTEGER, OPTIONAL_BIG, OPTIONAL_TIME, partOf, type Schema, TIMESTAMPS } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'slot_revocations', {
    columns: {
      id: ID,
      product_id: partOf('products'),
      pairing_epoch: INTEGER,
      gateway_id: INTEGER,
      slot: INTEGER,
      generation: INTEGER,
      sent_serial: OPTIONAL_BIG,
      sent_at: OPTIONAL_TIME,
      told_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['product_id', 'told_at']],
  });
}
