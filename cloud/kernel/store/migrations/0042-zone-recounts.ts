/** Recounts of zones by people, and since when sensors and sessions of a zone disagree. */
import { create, ID, INTEGER, partOf, type Schema, TIME } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'zone_recounts', {
    columns: {
      id: ID,
      zone_id: partOf('zones'),
      occupied_count: INTEGER,
      uncounted_until: TIME,
      extra_count: INTEGER,
      counted_at: TIME,
    },
    indices: [['zone_id', 'id']],
  });
  await create(db, 'zone_drifts', {
    columns: { zone_id: partOf('zones'), differs_since: TIME },
    primaryKey: ['zone_id'],
  });
}
