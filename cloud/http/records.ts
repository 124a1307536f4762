/** Rows of the database as REST shows them. Pictures are named `image:<uid>`; the envelope signs them. */
import { GATEWAY_ERROR_MESSAGES, isGatewayErrorType } from '../../shared/errors.js';
import { productTypeOf } from '../../shared/ids.js';
import { plateReadingKeys } from '../lpr/plate-reading-payload.js';
import { productError } from '../product/lot-change-payload.js';
import type { CommandDetails } from '../store/queries/commands.js';
import type { Row } from '../store/schema.js';
import type { PlateReadingDetails, ProductDetails } from '../store/queries/single-records.js';
import type { CommandRecord, PlateReading, Product } from './resources.js';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
const flag = (value: number): 0 | 1 => (value === 1 ? 1 : 0);

export function productRecord({ product, block, error }: ProductDetails): Product {
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
    ...(block === null ? {} : blockRecord(product.product_type_id, block)),
  };
}

/** The block under the name of the product's type. */
function blockRecord(product_type_id: number, block: Row<'product_blocks'>): Partial<Product> {
  const { id, product_id } = block;
  const times = { created_at: iso(block.created_at), updated_at: iso(block.updated_at) };
  const type = productTypeOf(product_type_id);
  if (type === undefined) return {};
  if (type === 'barrier') {
    const barrier: NonNullable<Product['barrier']> = {
      id,
      product_id,
      state: block.state === 'opened' ? 'opened' : 'closed',
      is_autoclose: flag(block.is_autoclose),
      is_car_on_top: flag(block.is_car_on_top),
      autoclose_time: block.autoclose_time,
      ...times,
    };
    return { barrier };
  }
  const positioned: NonNullable<Product['gate']> = {
    id,
    product_id,
    state: block.state as NonNullable<Product['gate']>['state'],
    permanent_position: block.permanent_position as NonNullable<Product['gate']>['permanent_position'],
    deleted_at: null,
    ...times,
  };
  return { [type]: positioned };
}

export function plateReadingRecord({ reading, images }: PlateReadingDetails): PlateReading {
  return {
    ...plateReadingKeys(reading, images),
    original_plate: reading.original_plate,
    corrected_by: reading.corrected_by,
    corrected_at: isoOrNull(reading.corrected_at),
  };
}

export function commandRecord({ command, attempts }: CommandDetails): CommandRecord {
  return {
    event_id: command.event_id,
    product_id: command.product_id,
    operation: command.operation,
    status: command.status,
    gateway_error: command.gateway_error_type === null ? null : gatewayError(command.gateway_error_type),
    attempts: attempts.map(({ gateway_uuid, rssi, started_at, ended_at, outcome }) => ({
      gateway_uuid,
      rssi,
      started_at: iso(started_at),
      ended_at: isoOrNull(ended_at),
      outcome,
    })),
    created_at: iso(command.created_at),
    ended_at: isoOrNull(command.ended_at),
  };
}

function gatewayError(stored: string): NonNullable<CommandRecord['gateway_error']> {
  if (stored === 'Timeout') return { type: 'Timeout', message: null };
  const type = Number(stored);
  return { type, message: isGatewayErrorType(type) ? GATEWAY_ERROR_MESSAGES[type] : null };
}
