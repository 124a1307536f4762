import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import type { DeletedThing, JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';
import type { Generated } from 'kysely';

interface ParkingGatewaysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  /** The gateway that polls it. */
  gateway_id: number | null;
  name: string;
  driver: string;
  address: string;
  unit: number | null;
  poll_ms: number;
  heartbeat_s: number;
  /** Read by `register-codec.ts`; null: its driver has none. */
  register: JsonColumn<ModbusRegister, null>;
  application: string | null;
  /** JSON: the holders of its secrets (`rest/resource/secret-holder-codec.ts`); null: an older version wrote the row. */
  secrets_for: string | null;
  /** What its sensors say, as data (`shared/drivers/sensor-mapping.ts`); null: none. */
  mapping: JsonColumn<Record<string, unknown>, null>;
  status: 'online' | 'offline';
  last_seen: number | null;
}

interface DeletedParkingGatewaysTable extends DeletedThing {
  /** The gateway that polled it. */
  gateway_id: number;
}

/** Gateways that read a place's sensor until its parking gateway was deleted. */
interface FormerPlaceWatchesTable {
  parking_place_id: number;
  gateway_id: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    parking_gateways: ParkingGatewaysTable;
    deleted_parking_gateways: DeletedParkingGatewaysTable;
    former_place_watches: FormerPlaceWatchesTable;
  }
}

export const SENSOR_BASELINE: Tables = {
  parking_gateways: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      lot_id: { partOf: 'lots' },
      gateway_id: { refersTo: 'gateways' },
      name: 'text',
      driver: 'text',
      address: 'text',
      unit: 'integer null',
      poll_ms: 'integer',
      heartbeat_s: 'integer',
      register: 'text null',
      application: 'text null',
      status: 'text',
      last_seen: 'bigint null',
      mapping: 'text null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['lot_id'], ['gateway_id']],
  },
  deleted_parking_gateways: {
    columns: {
      id: 'integer',
      account_id: 'integer',
      lot_id: 'integer',
      name: 'text',
      deleted_at: 'bigint',
      gateway_id: { partOf: 'gateways' },
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  former_place_watches: {
    columns: {
      parking_place_id: { partOf: 'parking_places' },
      gateway_id: { partOf: 'gateways' },
    },
    primaryKey: ['parking_place_id', 'gateway_id'],
  },
};
