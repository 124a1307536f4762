import type { DeletedThing, Tables } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { KEPT_OF_PLACES, PLACE_FIELDS } from './place-fields.js';

type ParkingPlacesTable = TableOf<typeof PLACE_FIELDS>;

interface DeletedParkingPlacesTable extends DeletedThing, Pick<ParkingPlacesTable, (typeof KEPT_OF_PLACES)[number]> {}

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
