/** What late records need of zones, places and cameras that were deleted. */
import {
  create,
  INTEGER,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  type Schema,
  TEXT,
  TIME,
  TIMESTAMPS,
} from './create-table.js';

/** There are no foreign keys, because a row outlives its lot too. The ids are those that the things had; no id is given twice. */
const DELETED = { account_id: INTEGER, lot_id: INTEGER, name: TEXT, deleted_at: TIME, ...TIMESTAMPS };

export async function up(db: Schema): Promise<void> {
  await create(db, 'deleted_zones', {
    columns: { id: INTEGER, ...DELETED, tariff_id: OPTIONAL_INTEGER },
    primaryKey: ['id'],
  });
  await create(db, 'deleted_parking_places', {
    columns: { id: INTEGER, ...DELETED, zone_id: INTEGER, occupancy_status: TEXT, changed_at: OPTIONAL_TIME },
    primaryKey: ['id'],
  });
  await create(db, 'deleted_lpr_cameras', {
    columns: {
      id: INTEGER,
      ...DELETED,
      zone_id: INTEGER,
      device_id: TEXT,
      device_serial: OPTIONAL_TEXT,
      status: TEXT,
      lpr_position: TEXT,
      mac: OPTIONAL_TEXT,
      product_type_id: OPTIONAL_INTEGER,
    },
    primaryKey: ['id'],
  });
}
