import type { Generated } from 'kysely';
import type { DeletedThing, Tables, Timestamps } from '../../kernel/store/entry.js';

interface ParkingPlacesTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  zone_id: number;
  name: string;
  occupancy_status: 'free' | 'occupied';
  /** null: no sensor. */
  parking_gateway_id: number | null;
  sensor: string | null;
  codec: string | null;
  occupied_below_mm: number | null;
  hysteresis_mm: number | null;
  /** When the sensor last reported a change; null: never. */
  changed_at: number | null;
  /** When its sensor first reported; null: never, and the state of the place is not known. */
  first_heard_at: number | null;
  /** When its sensor was last heard before it fell silent; null: it is not silent, or its gateway has not told. */
  stale_since: number | null;
}

interface DeletedParkingPlacesTable extends DeletedThing {
  zone_id: number;
  occupancy_status: 'free' | 'occupied';
  changed_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    parking_places: ParkingPlacesTable;
    deleted_parking_places: DeletedParkingPlacesTable;
  }
}

export const PLACE_BASELINE: Tables = {
  parking_places: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      lot_id: { partOf: 'lots' },
      zone_id: { partOf: 'zones' },
      name: 'text',
      occupancy_status: 'text',
      parking_gateway_id: { refersTo: 'parking_gateways' },
      sensor: 'text null',
      codec: 'text null',
      occupied_below_mm: 'integer null',
      hysteresis_mm: 'integer null',
      changed_at: 'bigint null',
      first_heard_at: 'bigint null',
      stale_since: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['lot_id'], ['zone_id'], ['parking_gateway_id']],
  },
  deleted_parking_places: {
    columns: {
      id: 'integer',
      account_id: 'integer',
      lot_id: 'integer',
      name: 'text',
      deleted_at: 'bigint',
      zone_id: 'integer',
      occupancy_status: 'text',
      changed_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['id'],
  },
};
