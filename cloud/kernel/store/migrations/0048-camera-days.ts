/** How cameras were, day by day. */
import { create, INTEGER, OPTIONAL_BIG, OPTIONAL_TIME, partOf, type Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'lpr_camera_days', {
    columns: {
      lpr_camera_id: partOf('lpr_cameras'),
      day: INTEGER,
      reads_count: INTEGER,
      unreadable_count: INTEGER,
      refined_count: INTEGER,
      offline_ms: INTEGER,
      clock_drift_ms: OPTIONAL_BIG,
      reported_at: OPTIONAL_TIME,
    },
    primaryKey: ['lpr_camera_id', 'day'],
    indices: [['day']],
  });
}
