/** Products as REST shows them. */
import { z } from '@hono/zod-openapi';
import {
  BARRIER_STATES,
  PERMANENT_POSITIONS,
  PRESENCE_STATES,
  PRODUCT_STATES,
} from '../../../shared/events/event-schemas.js';
import { productTypeOf } from '../../../shared/ids.js';
import { datetime, flag, flagOf, id, iso, orNull } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';
import { productError } from './lot-change-payload.js';
import type { ProductDetails } from './product-detail-queries.js';

const productErrorSchema = z
  .strictObject({
    id,
    error_code: z.string(),
    jammed: flag,
    sensor_dirty: flag,
    pin_broken: flag,
    rtcc_invalid: flag,
    battery_empty: flag,
    master_key_not_set: flag,
    deleted_at: z.null(),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('ProductError');

const barrierSchema = z
  .strictObject({
    id,
    product_id: id,
    state: z.enum(BARRIER_STATES),
    is_autoclose: flag,
    is_car_on_top: flag,
    autoclose_time: z.number().int(),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('BarrierBlock');

const positionedBlockSchema = z
  .strictObject({
    id,
    product_id: id,
    state: z.enum(PRODUCT_STATES),
    permanent_position: z.enum(PERMANENT_POSITIONS),
    deleted_at: datetime.nullable(),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('ProductBlock');

/** Only the block that matches the product's type is present. */
export const productSchema = z
  .strictObject({
    id,
    device_id: z.string(),
    name: z.string(),
    power_type: z.string().describe('What the product runs on.'),
    lot_id: id.nullable(),
    zone_id: id.nullable(),
    product_type_id: id,
    hardware_version: z.string().describe('The version of the hardware of the product.'),
    firmware_version: z.string().describe('The version of the firmware of the product.'),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    status: z.enum(PRESENCE_STATES),
    advertisement_data: z
      .string()
      .describe('What the product last sent over Bluetooth without being asked, in hexadecimal digits.'),
    battery_status: z.number().nullable(),
    product_error_id: id.nullable(),
    product_error: orNull(productErrorSchema),
    rssi: z.number().nullable(),
    created_at: datetime,
    updated_at: datetime,
    barrier: barrierSchema.optional(),
    gate: positionedBlockSchema.optional(),
    chain: positionedBlockSchema.optional(),
    bollard: positionedBlockSchema.optional(),
    brain: positionedBlockSchema.optional(),
  })
  .openapi('Product');

export type Product = z.infer<typeof productSchema>;

export function representProduct({ product, block, error }: ProductDetails): Product {
  return {
    id: product.id,
    device_id: product.device_id,
    name: product.name,
    power_type: product.power_type,
    lot_id: product.lot_id,
    zone_id: product.zone_id,
    product_type_id: product.product_type_id,
    hardware_version: product.hardware_version,
    firmware_version: product.firmware_version,
    latitude: product.latitude,
    longitude: product.longitude,
    status: product.status,
    advertisement_data: product.advertisement_data,
    battery_status: product.battery_status,
    product_error_id: error?.id ?? null,
    product_error: error === null ? null : productError(error),
    rssi: product.rssi,
    created_at: iso(product.created_at),
    updated_at: iso(product.updated_at),
    ...(block === null ? {} : representBlock(product.product_type_id, block)),
  };
}

/** Represents the block under the name of the product's type. */
function representBlock(product_type_id: number, block: Row<'product_blocks'>): Partial<Product> {
  const { product_id } = block;
  const shownTimes = { created_at: iso(block.created_at), updated_at: iso(block.updated_at) };
  const type = productTypeOf(product_type_id);
  if (type === undefined) return {};
  if (type === 'barrier') {
    const barrier: NonNullable<Product['barrier']> = {
      id: block.id,
      product_id,
      state: block.state === 'opened' ? 'opened' : 'closed',
      is_autoclose: flagOf(block.is_autoclose),
      is_car_on_top: flagOf(block.is_car_on_top),
      autoclose_time: block.autoclose_time,
      ...shownTimes,
    };
    return { barrier };
  }
  const positioned: NonNullable<Product['gate']> = {
    id: block.id,
    product_id,
    state: block.state,
    permanent_position: block.permanent_position,
    deleted_at: null,
    ...shownTimes,
  };
  return { [type]: positioned };
}
