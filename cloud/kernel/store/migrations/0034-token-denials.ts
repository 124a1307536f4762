/** Credentials that products have to refuse, and the generation of the guests' slot at each product. */
import {
  create,
  ID,
  INTEGER,
  OPTIONAL_BIG,
  OPTIONAL_INTEGER,
  OPTIONAL_TIME,
  partOf,
  type Schema,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'token_denials', {
    columns: {
      id: ID,
      operation_token_id: partOf('operation_tokens'),
      product_id: INTEGER,
      credential_id: INTEGER,
      ends_at: OPTIONAL_TIME,
      generation: OPTIONAL_INTEGER,
      sent_serial: OPTIONAL_BIG,
      sent_at: OPTIONAL_TIME,
      sent_count: INTEGER,
      delivered_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['operation_token_id'], ['product_id', 'delivered_at']],
  });
  await db.schema
    .alterTable('products')
    .addColumn('guest_generation', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
