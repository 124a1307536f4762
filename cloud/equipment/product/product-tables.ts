import type { Tables } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { BOUND_LICENSE_FIELDS } from './bound-license-fields.js';
import type { PRODUCT_BLOCK_FIELDS, PRODUCT_ERROR_FIELDS, PRODUCT_FIELDS } from './product-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database {
    products: TableOf<typeof PRODUCT_FIELDS>;
    product_blocks: TableOf<typeof PRODUCT_BLOCK_FIELDS>;
    product_errors: TableOf<typeof PRODUCT_ERROR_FIELDS>;
    bound_licenses: TableOf<typeof BOUND_LICENSE_FIELDS>;
  }
}

export const PRODUCT_BASELINE: Tables = {
  products: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      lot_id: { refersTo: 'lots' },
      zone_id: { refersTo: 'zones' },
      device_id: 'text',
      name: 'text',
      power_type: 'text',
      product_type_id: 'integer',
      hardware_version: 'text',
      firmware_version: 'text',
      latitude: 'double precision null',
      longitude: 'double precision null',
      status: 'text',
      advertisement_data: 'text',
      battery_status: 'integer null',
      rssi: 'integer null',
      pairing_epoch: 'integer',
      master_key_sealed: 'text null',
      seen_at: 'bigint null',
      admin_serial: { type: 'bigint', default: 0 },
      clock_record_at: 'bigint null',
      guest_generation: { type: 'integer', default: 0 },
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['lot_id'], ['zone_id'], { columns: ['account_id', 'device_id'], isUnique: true }],
  },
  product_blocks: {
    columns: {
      id: 'id',
      product_id: { partOf: 'products' },
      state: 'text',
      is_autoclose: 'integer',
      autoclose_time: 'integer',
      is_car_on_top: 'integer',
      permanent_position: 'text',
      autoclose_setting: 'integer null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['product_id'], isUnique: true }],
  },
  product_errors: {
    columns: {
      id: 'id',
      product_id: { partOf: 'products' },
      error_code: 'text',
      jammed: 'integer',
      sensor_dirty: 'integer',
      pin_broken: 'integer',
      rtcc_invalid: 'integer',
      battery_empty: 'integer',
      master_key_not_set: 'integer',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['product_id'], isUnique: true }],
  },
  bound_licenses: {
    columns: {
      id: 'id',
      product_id: { partOf: 'products' },
      license_plate: 'text',
      plate_normalised: 'text',
      name: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['product_id'], ['plate_normalised']],
  },
};
