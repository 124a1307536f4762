import type { ProductStatus } from '../../../shared/uplink.js';
import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { BOUND_LICENSE_FIELDS } from './bound-license-fields.js';

interface ProductsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number | null;
  zone_id: number | null;
  device_id: string;
  name: string;
  power_type: string;
  product_type_id: number;
  hardware_version: string;
  firmware_version: string;
  latitude: number | null;
  longitude: number | null;
  status: 'online' | 'offline';
  advertisement_data: string;
  battery_status: number | null;
  rssi: number | null;
  /** The pairing epoch (`ep` of the product protocol). */
  pairing_epoch: number;
  /** 32 bytes, sealed; null: not paired yet. */
  master_key_sealed: string | null;
  seen_at: number | null;
  /** The serial of the last admin record; 0: none was made. */
  admin_serial: Generated<number>;
  /** When the last record that corrects its clock was made. */
  clock_record_at: number | null;
  /** The generation of the guests' slot (product protocol, `gen`): the credentials of keys carry it. It begins anew with each pairing. */
  guest_generation: Generated<number>;
}

/** One block per product; which keys are shown depends on the product's type. */
interface ProductBlocksTable extends Timestamps {
  id: Generated<number>;
  product_id: number;
  state: ProductStatus['state'];
  is_autoclose: number;
  /** Seconds. */
  autoclose_time: number;
  /** The auto-close setting, which a permanent position hides in `is_autoclose`. null: never reported. */
  autoclose_setting: number | null;
  is_car_on_top: number;
  permanent_position: ProductStatus['permanent_position'];
}

/** The error that a product reports now; one row per product, deleted when it reports none. */
interface ProductErrorsTable extends Timestamps {
  id: Generated<number>;
  product_id: number;
  error_code: string;
  jammed: number;
  sensor_dirty: number;
  pin_broken: number;
  rtcc_invalid: number;
  battery_empty: number;
  master_key_not_set: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    products: ProductsTable;
    product_blocks: ProductBlocksTable;
    product_errors: ProductErrorsTable;
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
