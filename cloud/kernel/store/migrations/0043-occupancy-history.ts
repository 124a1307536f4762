/** How full zones and places were, by quarters of an hour in which something changed. */
import { BIG, create, INTEGER, type Schema, TEXT, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'occupancy_quarters', {
    columns: {
      owner: TEXT,
      owner_id: INTEGER,
      quarter: TIME,
      first_count: INTEGER,
      last_count: INTEGER,
      min_count: INTEGER,
      max_count: INTEGER,
      area: BIG,
      last_at: TIME,
    },
    primaryKey: ['owner', 'owner_id', 'quarter'],
    indices: [['quarter']],
  });
}
