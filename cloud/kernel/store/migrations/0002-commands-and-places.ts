/** Commands with their attempts; parking gateways and the places that they watch. */
import {
  create,
  ID,
  INTEGER,
  KEY,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  optionally,
  partOf,
  type Schema,
  TEXT,
  TIME,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'commands', {
    columns: {
      event_id: KEY,
      account_id: INTEGER,
      lot_id: OPTIONAL_INTEGER,
      product_id: INTEGER,
      operation: TEXT,
      command: TEXT,
      status: TEXT,
      gateway_error_type: OPTIONAL_TEXT,
      created_at: TIME,
      ended_at: OPTIONAL_TIME,
    },
    indices: [['created_at']],
    indicesOfOpen: [['product_id']],
  });
  await create(db, 'command_attempts', {
    columns: {
      id: ID,
      event_id: TEXT,
      gateway_id: INTEGER,
      rssi: OPTIONAL_INTEGER,
      started_at: TIME,
      ended_at: OPTIONAL_TIME,
      outcome: OPTIONAL_TEXT,
    },
    indices: [['event_id']],
  });
  await create(db, 'parking_gateways', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      lot_id: partOf('lots'),
      gateway_id: optionally('gateways'),
      name: TEXT,
      driver: TEXT,
      address: TEXT,
      unit: OPTIONAL_INTEGER,
      poll_ms: INTEGER,
      heartbeat_s: INTEGER,
      register: OPTIONAL_TEXT,
      application: OPTIONAL_TEXT,
      status: TEXT,
      last_seen: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['lot_id'], ['gateway_id']],
  });
  await create(db, 'parking_places', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      lot_id: partOf('lots'),
      zone_id: partOf('zones'),
      name: TEXT,
      occupancy_status: TEXT,
      parking_gateway_id: optionally('parking_gateways'),
      sensor: OPTIONAL_TEXT,
      codec: OPTIONAL_TEXT,
      occupied_below_mm: OPTIONAL_INTEGER,
      hysteresis_mm: OPTIONAL_INTEGER,
      changed_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['lot_id'], ['zone_id'], ['parking_gateway_id']],
  });
}
