import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { PARKING_GATEWAY_FIELDS } from './parking-gateway-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof SENSOR_BASELINE>, 'parking_gateways'> {
    parking_gateways: TableOf<typeof PARKING_GATEWAY_FIELDS>;
  }
}

export const SENSOR_BASELINE = {
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
      /** The gateway that polled it. */
      gateway_id: { partOf: 'gateways' },
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  /** Gateways that read a place's sensor until its parking gateway was deleted. */
  former_place_watches: {
    columns: {
      parking_place_id: { partOf: 'parking_places' },
      gateway_id: { partOf: 'gateways' },
    },
    primaryKey: ['parking_place_id', 'gateway_id'],
  },
} satisfies Tables;
