import type { LPR_CAMERA_STATES } from '../../../shared/events/event-schemas.js';
import type { Generated } from 'kysely';
import type { DeletedThing, JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';

interface LprCamerasTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  zone_id: number;
  gateway_id: number | null;
  product_id: number | null;
  device_id: string;
  device_serial: string | null;
  name: string;
  driver: string;
  address: string;
  username: string;
  password_sealed: string;
  push_key_sealed: string;
  /** JSON: the holders of its secrets (`rest/resource/secret-holder-codec.ts`); null: an older version wrote the row. */
  secrets_for: string | null;
  /** 1: it is heard at its vendor's fixed path by its address alone. */
  push_without_key: Generated<number>;
  timezone: string;
  lpr_position: 'in' | 'out' | 'in/out';
  plate_side: 'front' | 'rear';
  /** Seconds. */
  debounce_time: number;
  direction_source: 'reported' | 'position';
  /** How to read what it posts, as data (`shared/drivers/camera-mapping.ts`); null: as its driver does. */
  mapping: JsonColumn<Record<string, unknown>, null>;
  status: (typeof LPR_CAMERA_STATES)[number];
  /** Why it does not work as it should, as its gateway reported; null: no problem is known. */
  problem: Generated<string | null>;
  mac: string | null;
  last_seen: number | null;
  /** 0..1: a read that the camera is less sure of is a sighting. */
  min_confidence: Generated<number>;
}

/** A camera's reads and condition on a day of its time zone. */
interface LprCameraDaysTable {
  lpr_camera_id: number;
  /** Days since 1970-01-01 by the local calendar. */
  day: number;
  reads_count: number;
  /** Vehicles whose plate it could not read, or not surely enough. */
  unreadable_count: number;
  refined_count: number;
  offline_ms: number;
  /** How far its clock was ahead of its gateway's, at most; null: no read has shown it. */
  clock_drift_ms: number | null;
  /** When its gateway last reported something that is counted here. */
  reported_at: number | null;
}

interface DeletedLprCamerasTable
  extends DeletedThing,
    Pick<LprCamerasTable, 'zone_id' | 'device_id' | 'device_serial' | 'status' | 'lpr_position' | 'mac'> {
  /** The type of the product that it opened. */
  product_type_id: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    lpr_cameras: LprCamerasTable;
    deleted_lpr_cameras: DeletedLprCamerasTable;
    lpr_camera_days: LprCameraDaysTable;
  }
}

export const CAMERA_BASELINE: Tables = {
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
  lpr_camera_days: {
    columns: {
      lpr_camera_id: { partOf: 'lpr_cameras' },
      day: 'integer',
      reads_count: 'integer',
      unreadable_count: 'integer',
      refined_count: 'integer',
      offline_ms: 'integer',
      clock_drift_ms: 'bigint null',
      reported_at: 'bigint null',
    },
    primaryKey: ['lpr_camera_id', 'day'],
    indices: [['day']],
  },
};
