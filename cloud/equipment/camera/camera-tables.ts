import type { DeletedThing, Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { CAMERA_FIELDS, KEPT_OF_CAMERAS } from './camera-fields.js';

type LprCamerasTable = TableOf<typeof CAMERA_FIELDS>;

/** A row of deleted cameras has the type of the product that it opened, too. */
interface DeletedLprCamerasTable extends DeletedThing, Pick<LprCamerasTable, (typeof KEPT_OF_CAMERAS)[number]> {
  product_type_id: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database extends Pick<TablesOf<typeof CAMERA_BASELINE>, 'lpr_camera_days'> {
    lpr_cameras: LprCamerasTable;
    deleted_lpr_cameras: DeletedLprCamerasTable;
  }
}

export const CAMERA_BASELINE = {
  lpr_cameras: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      zone_id: { partOf: 'zones' },
      gateway_id: { refersTo: 'gateways' },
      product_id: { refersTo: 'products' },
      device_id: 'text',
      device_serial: 'text null',
      name: 'text',
      driver: 'text',
      address: 'text',
      username: 'text',
      password_sealed: 'text',
      push_key_sealed: 'text',
      timezone: 'text',
      lpr_position: 'text',
      plate_side: 'text',
      debounce_time: 'integer',
      direction_source: 'text',
      status: 'text',
      mac: 'text null',
      last_seen: 'bigint null',
      problem: 'text null',
      min_confidence: { type: 'double precision', default: 0 },
      mapping: 'text null',
      push_without_key: { type: 'integer', default: 0 },
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['account_id', 'device_id'], isUnique: true }, ['zone_id'], ['gateway_id'], ['product_id']],
  },
  deleted_lpr_cameras: {
    columns: {
      id: 'integer',
      account_id: 'integer',
      lot_id: 'integer',
      name: 'text',
      deleted_at: 'bigint',
      zone_id: 'integer',
      device_id: 'text',
      device_serial: 'text null',
      status: 'text',
      lpr_position: 'text',
      mac: 'text null',
      product_type_id: 'integer null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  /** A camera's reads and condition on a day of its time zone. */
  lpr_camera_days: {
    columns: {
      lpr_camera_id: { partOf: 'lpr_cameras' },
      /** Days since 1970-01-01 by the local calendar. */
      day: 'integer',
      reads_count: 'integer',
      /** Vehicles whose plate it could not read, or not surely enough. */
      unreadable_count: 'integer',
      refined_count: 'integer',
      offline_ms: 'integer',
      /** How far its clock was ahead of its gateway's, at most; null: no read has shown it. */
      clock_drift_ms: 'bigint null',
      /** When its gateway last reported something that is counted here. */
      reported_at: 'bigint null',
    },
    primaryKey: ['lpr_camera_id', 'day'],
    indices: [['day']],
  },
} satisfies Tables;
