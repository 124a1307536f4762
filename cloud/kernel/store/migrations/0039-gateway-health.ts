/** How gateways said they are. */
import { create, INTEGER, OPTIONAL_TIME, partOf, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'gateway_health', {
    columns: {
      gateway_id: partOf('gateways'),
      reported_at: TIME,
      tokens_end_at: OPTIONAL_TIME,
      recoveries_count: INTEGER,
      health: TEXT,
    },
    primaryKey: ['gateway_id'],
  });
}
