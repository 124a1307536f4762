/** What the decision on a reading saw, and when it was made. */
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const table = () => db.schema.alterTable('plate_readings');
  await table().addColumn('decision_trace', 'text').execute();
  await table().addColumn('decided_at', 'bigint').execute();
}
