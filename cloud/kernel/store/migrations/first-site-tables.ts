/** What an operator declares: accounts, lots and what is in them. Foreign keys join these tables. */
import {
  BIG,
  ID,
  INTEGER,
  OPTIONAL_BIG,
  OPTIONAL_DOUBLE,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  TEXT,
  TIME,
  TIMESTAMPS,
  create,
  createPairs,
  optionally,
  partOf,
  type Schema,
} from './create-table.js';

export async function createSiteTables(db: Schema): Promise<void> {
  await createAccounts(db);
  await createLots(db);
  await createProducts(db);
  await createGatewaysAndCameras(db);
  await createMembers(db);
}

async function createAccounts(db: Schema): Promise<void> {
  await create(db, 'accounts', {
    columns: {
      id: ID,
      account_role_id: INTEGER,
      name: TEXT,
      auto_extend: INTEGER,
      contact_name: TEXT,
      contact_email: TEXT,
      contact_phone: TEXT,
      billing_title: TEXT,
      vat: TEXT,
      address: TEXT,
      city: TEXT,
      zip_code: TEXT,
      infinite_shares: INTEGER,
      remote_control: INTEGER,
      public_key_requests: INTEGER,
      ...TIMESTAMPS,
    },
  });
  await create(db, 'account_users', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      account_user_role_id: INTEGER,
      email: TEXT,
      name: TEXT,
      phone: TEXT,
      language_tag: TEXT,
      country_code: TEXT,
      email_confirmed: INTEGER,
      password_hash: TEXT,
      ...TIMESTAMPS,
    },
    unique: [['email']],
    indices: [['account_id']],
  });
  await create(db, 'user_tokens', {
    columns: {
      id: ID,
      account_user_id: partOf('account_users'),
      type: TEXT,
      token_hash: TEXT,
      created_at: TIME,
    },
    unique: [['token_hash']],
    indices: [['account_user_id', 'type']],
  });
  await create(db, 'api_tokens', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      name: TEXT,
      token_hash: TEXT,
      ...TIMESTAMPS,
    },
    unique: [['token_hash']],
    indices: [['account_id']],
  });
}

async function createLots(db: Schema): Promise<void> {
  await create(db, 'lots', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      name: TEXT,
      address: TEXT,
      timezone: TEXT,
      latitude: OPTIONAL_DOUBLE,
      longitude: OPTIONAL_DOUBLE,
      offline_exit: TEXT,
      autonomy_days: INTEGER,
      ...TIMESTAMPS,
    },
    indices: [['account_id']],
  });
  await createPairs(db, 'account_user_lots', { left: ['account_user_id', 'account_users'], right: ['lot_id', 'lots'] });
  await create(db, 'zones', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      lot_id: partOf('lots'),
      name: TEXT,
      description: TEXT,
      spot_count: INTEGER,
      occupancy_max_hours: INTEGER,
      ...TIMESTAMPS,
    },
    indices: [['account_id'], ['lot_id']],
  });
  await create(db, 'tariffs', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      name: TEXT,
      currency: TEXT,
      vat: TEXT,
      free_minutes: INTEGER,
      price_minor: BIG,
      step_minutes: INTEGER,
      daily_max_minor: OPTIONAL_BIG,
      windows: TEXT,
      ...TIMESTAMPS,
    },
    indices: [['account_id']],
  });
  await createPairs(db, 'zone_tariffs', { left: ['zone_id', 'zones'], right: ['tariff_id', 'tariffs'], ordered: true });
}

async function createProducts(db: Schema): Promise<void> {
  await create(db, 'products', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      lot_id: optionally('lots'),
      zone_id: optionally('zones'),
      device_id: TEXT,
      name: TEXT,
      power_type: TEXT,
      product_type_id: INTEGER,
      hardware_version: TEXT,
      firmware_version: TEXT,
      latitude: OPTIONAL_DOUBLE,
      longitude: OPTIONAL_DOUBLE,
      status: TEXT,
      advertisement_data: TEXT,
      battery_status: OPTIONAL_INTEGER,
      rssi: OPTIONAL_INTEGER,
      pairing_epoch: INTEGER,
      master_key_sealed: OPTIONAL_TEXT,
      seen_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    unique: [['device_id']],
    indices: [['account_id'], ['lot_id'], ['zone_id']],
  });
  await create(db, 'product_blocks', {
    columns: {
      id: ID,
      product_id: partOf('products'),
      state: TEXT,
      is_autoclose: INTEGER,
      autoclose_time: INTEGER,
      is_car_on_top: INTEGER,
      permanent_position: TEXT,
      ...TIMESTAMPS,
    },
    unique: [['product_id']],
  });
  await create(db, 'product_errors', {
    columns: {
      id: ID,
      product_id: partOf('products'),
      error_code: TEXT,
      jammed: INTEGER,
      sensor_dirty: INTEGER,
      pin_broken: INTEGER,
      rtcc_invalid: INTEGER,
      battery_empty: INTEGER,
      master_key_not_set: INTEGER,
      ...TIMESTAMPS,
    },
    unique: [['product_id']],
  });
  await create(db, 'bound_licenses', {
    columns: {
      id: ID,
      product_id: partOf('products'),
      license_plate: TEXT,
      plate_normalised: TEXT,
      name: TEXT,
      ...TIMESTAMPS,
    },
    indices: [['product_id'], ['plate_normalised']],
  });
}

async function createGatewaysAndCameras(db: Schema): Promise<void> {
  await create(db, 'gateways', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      lot_id: optionally('lots'),
      uuid: OPTIONAL_TEXT,
      name: TEXT,
      status: TEXT,
      agent_version: OPTIONAL_TEXT,
      last_seen: OPTIONAL_TIME,
      claim_code_hash: OPTIONAL_TEXT,
      claim_expires_at: OPTIONAL_TIME,
      claimed_at: OPTIONAL_TIME,
      public_key: OPTIONAL_TEXT,
      mqtt_password_hash: OPTIONAL_TEXT,
      slot: INTEGER,
      slot_generation: INTEGER,
      presence_boot_id: OPTIONAL_TEXT,
      presence_connection: OPTIONAL_INTEGER,
      ...TIMESTAMPS,
    },
    unique: [['uuid'], ['claim_code_hash'], ['lot_id', 'slot']],
    indices: [['account_id']],
  });
  await create(db, 'lpr_cameras', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      zone_id: partOf('zones'),
      gateway_id: optionally('gateways'),
      product_id: optionally('products'),
      device_id: TEXT,
      device_serial: OPTIONAL_TEXT,
      name: TEXT,
      driver: TEXT,
      address: TEXT,
      username: TEXT,
      password_sealed: TEXT,
      push_key_sealed: TEXT,
      timezone: TEXT,
      lpr_position: TEXT,
      plate_side: TEXT,
      debounce_time: INTEGER,
      direction_source: TEXT,
      status: TEXT,
      mac: OPTIONAL_TEXT,
      last_seen: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    unique: [['account_id', 'device_id']],
    indices: [['zone_id'], ['gateway_id'], ['product_id']],
  });
}

async function createMembers(db: Schema): Promise<void> {
  await create(db, 'members', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      name: TEXT,
      description: TEXT,
      email: TEXT,
      license_plate: TEXT,
      plate_normalised: TEXT,
      ...TIMESTAMPS,
    },
    indices: [['account_id'], ['plate_normalised']],
  });
  await create(db, 'groups', {
    columns: {
      id: ID,
      account_id: partOf('accounts'),
      name: TEXT,
      description: TEXT,
      ...TIMESTAMPS,
    },
    indices: [['account_id']],
  });
  await createPairs(db, 'group_members', { left: ['group_id', 'groups'], right: ['member_id', 'members'] });
  await createPairs(db, 'group_zones', { left: ['group_id', 'groups'], right: ['zone_id', 'zones'] });
  await createPairs(db, 'group_tariffs', {
    left: ['group_id', 'groups'],
    right: ['tariff_id', 'tariffs'],
    ordered: true,
  });
}
