import type { LPR_CAMERA_STATES } from '../../shared/events/event-schemas.js';
import type { Generated } from 'kysely';
import type { DeletedThing, Timestamps } from '../store/schema.js';

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
  timezone: string;
  lpr_position: 'in' | 'out' | 'in/out';
  plate_side: 'front' | 'rear';
  /** Seconds. */
  debounce_time: number;
  direction_source: 'reported' | 'position';
  status: (typeof LPR_CAMERA_STATES)[number];
  /** Why it does not work as it should, as its gateway reported; null: no problem is known. */
  problem: Generated<string | null>;
  mac: string | null;
  last_seen: number | null;
}

interface DeletedLprCamerasTable
  extends DeletedThing,
    Pick<LprCamerasTable, 'zone_id' | 'device_id' | 'device_serial' | 'status' | 'lpr_position' | 'mac'> {
  /** The type of the product that it opened. */
  product_type_id: number | null;
}

declare module '../store/schema.js' {
  interface Database {
    lpr_cameras: LprCamerasTable;
    deleted_lpr_cameras: DeletedLprCamerasTable;
  }
}
