import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import type { DeletedThing, JsonColumn, Timestamps } from '../../kernel/entry.js';
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
