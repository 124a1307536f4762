/** Terminals, alerts, keys, displays, weblinks; the audit log, idempotency keys, and the slots that gateways were given. */
import { sql } from 'kysely';
import {
  appendOnly,
  create,
  ID,
  INTEGER,
  KEY,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  optionally,
  optionalPartOf,
  partOf,
  type Schema,
  TEXT,
  TIME,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await createTerminals(db);
  await createAlerts(db);
  await createKeys(db);
  await createWeblinks(db);
  await createDisplays(db);
  await createBookkeeping(db);
  await createGatewaySlots(db);
}

async function createTerminals(db: Schema): Promise<void> {
  await create(db, 'terminals', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      zone_id: optionally('zones'),
      device_id: TEXT,
      name: TEXT,
      status: TEXT,
      type: TEXT,
      is_master: INTEGER,
      mac: TEXT,
      public_key: OPTIONAL_TEXT,
      ip_address: OPTIONAL_TEXT,
      version: OPTIONAL_TEXT,
      pos_serial_number: OPTIONAL_TEXT,
      electronic_device_id: OPTIONAL_TEXT,
      system_currency: OPTIONAL_TEXT,
      last_seen: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    unique: [['device_id']],
    indices: [['account_id'], ['zone_id']],
  });
}

async function createAlerts(db: Schema): Promise<void> {
  await create(db, 'license_plate_alerts', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      // An alert must not widen to all zones because its zone was removed.
      zone_id: optionalPartOf('zones'),
      name: TEXT,
      min_minutes_between_emails: INTEGER,
      ...TIMESTAMPS,
    },
    indices: [['account_id'], ['zone_id']],
  });
  await create(db, 'alert_plates', {
    columns: {
      id: ID,
      license_plate_alert_id: partOf('license_plate_alerts'),
      plate: TEXT,
      plate_normalised: TEXT,
      ...TIMESTAMPS,
    },
    unique: [['license_plate_alert_id', 'plate_normalised']],
    indices: [['plate_normalised']],
  });
  await create(db, 'alert_receivers', {
    columns: {
      id: ID,
      license_plate_alert_id: partOf('license_plate_alerts'),
      name: TEXT,
      receiver_email: TEXT,
      ...TIMESTAMPS,
    },
    unique: [['license_plate_alert_id', 'receiver_email']],
  });
}

async function createKeys(db: Schema): Promise<void> {
  await create(db, 'operation_tokens', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      product_id: INTEGER,
      start_time: TIME,
      end_time: OPTIONAL_TIME,
      status: TEXT,
      used_count: INTEGER,
      is_unlimited: INTEGER,
      credential_id: INTEGER,
      deleted_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['account_id', 'id'], ['product_id'], ['status', 'end_time']],
  });
  await create(db, 'key_receivers', {
    columns: { id: ID, account_id: partOf('accounts'), email: TEXT, name: TEXT, ...TIMESTAMPS },
    unique: [['account_id', 'email']],
  });
  const key = {
    id: ID,
    account_id: partOf('accounts'),
    name: TEXT,
    sender_id: OPTIONAL_INTEGER,
    product_id: INTEGER,
    operation_token_id: partOf('operation_tokens'),
  };
  await create(db, 'key_logs', {
    columns: {
      ...key,
      receiver_identifier: TEXT,
      receiver_identifier_type: TEXT,
      plate_normalised: OPTIONAL_TEXT,
      status: TEXT,
      deleted_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    unique: [['operation_token_id']],
    indices: [['account_id', 'id'], ['product_id'], ['sender_id'], ['account_id', 'receiver_identifier']],
  });
  await create(db, 'operation_keys', {
    columns: { ...key, receiver_id: partOf('key_receivers'), deleted_at: OPTIONAL_TIME, ...TIMESTAMPS },
    unique: [['operation_token_id']],
    indices: [['account_id', 'id'], ['product_id'], ['sender_id'], ['receiver_id']],
  });
}

async function createWeblinks(db: Schema): Promise<void> {
  await create(db, 'weblinks', {
    columns: {
      id: KEY,
      account_id: partOf('accounts'),
      product_id: partOf('products'),
      operation_token_id: optionalPartOf('operation_tokens'),
      name: TEXT,
      operations: TEXT,
      start_time: TIME,
      end_time: OPTIONAL_TIME,
      used_count: INTEGER,
      generation: INTEGER,
      revoked_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['account_id'], ['product_id'], ['operation_token_id']],
  });
}

async function createDisplays(db: Schema): Promise<void> {
  await create(db, 'rgb_displays', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      lot_id: partOf('lots'),
      zone_id: optionally('zones'),
      gateway_id: optionally('gateways'),
      name: TEXT,
      driver: TEXT,
      address: TEXT,
      stale_text: TEXT,
      ...TIMESTAMPS,
    },
    indices: [['account_id'], ['lot_id'], ['zone_id'], ['gateway_id']],
  });
  await create(db, 'rgb_display_rules', {
    columns: {
      id: ID,
      rgb_display_id: partOf('rgb_displays'),
      name: TEXT,
      operator: TEXT,
      occupied_value: INTEGER,
      occupied_value_to: OPTIONAL_INTEGER,
      display_text: TEXT,
      order: INTEGER,
      start_time: OPTIONAL_TIME,
      end_time: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    indices: [['rgb_display_id', 'order']],
  });
}

async function createBookkeeping(db: Schema): Promise<void> {
  await create(db, 'audit_log', {
    columns: {
      id: ID,
      account_id: OPTIONAL_INTEGER,
      actor_type: TEXT,
      actor_id: OPTIONAL_INTEGER,
      action: TEXT,
      target: TEXT,
      details: TEXT,
      created_at: TIME,
      previous_hash: TEXT,
      hash: TEXT,
    },
    // Two rows that follow the same one would fork the chain.
    unique: [['previous_hash']],
    indices: [['account_id', 'id']],
  });
  await appendOnly(db, 'audit_log');
  await create(db, 'idempotency_keys', {
    columns: {
      caller: TEXT,
      route: TEXT,
      key: TEXT,
      body_hash: TEXT,
      status: OPTIONAL_INTEGER,
      response: OPTIONAL_TEXT,
      created_at: TIME,
    },
    primaryKey: ['caller', 'route', 'key'],
    indices: [['created_at']],
  });
}

async function createGatewaySlots(db: Schema): Promise<void> {
  await create(db, 'gateway_slots', {
    columns: { lot_id: partOf('lots'), slot: INTEGER, generation: INTEGER },
    primaryKey: ['lot_id', 'slot'],
  });
  await sql`
    insert into gateway_slots (lot_id, slot, generation)
    select lot_id, slot, slot_generation from gateways where lot_id is not null
  `.execute(db);
}
