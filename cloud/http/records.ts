/** Rows of the database as REST shows them. Pictures are named `image:<uid>`; the envelope signs them. */
import { GATEWAY_ERROR_MESSAGES, isGatewayErrorType } from '../../shared/errors.js';
import { productTypeOf } from '../../shared/ids.js';
import { priceStay, type TariffWindow } from '../../shared/tariff/price-stay.js';
import { plateReadingKeys } from '../lpr/plate-reading-payload.js';
import { imageLinks } from '../lpr/reading-images-payload.js';
import { productError } from '../product/lot-change-payload.js';
import { majorUnits } from '../../shared/money.js';
import { durationSeconds } from '../session/session-payload.js';
import type { CommandDetails } from '../store/queries/commands.js';
import type { Row } from '../store/schema.js';
import type { PlateReadingDetails, ProductDetails, SessionDetails } from '../store/queries/single-records.js';
import type { CommandRecord, PlateReading, Product, Session } from './resources.js';

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

/** @param now wall milliseconds: an open session has lasted, and is due, until now */
export function sessionRecord(details: SessionDetails, now: number): Session {
  const { session, tariff, readings } = details;
  const { ended_at, exit_type, exit_source_id } = session;
  const currency = tariff?.currency ?? null;
  return {
    id: session.id,
    public_id: session.public_id,
    ended_at: isoOrNull(ended_at),
    duration: durationSeconds(session, now),
    discount_time: session.discount_time,
    amount_paid: majorUnits(session.amount_paid_minor, currency),
    possibly_exited: session.possibly_exited === null ? null : session.possibly_exited === 1,
    exit_allowed: ended_at === null,
    entry_license_plate: sessionPlate(details.entry),
    created_at: iso(session.created_at),
    entry: { id: session.entry_source_id, type: session.entry_type as Session['entry']['type'] },
    exit:
      exit_type === null || exit_source_id === null
        ? null
        : { id: exit_source_id, type: exit_type as Session['entry']['type'] },
    zone_id: session.zone_id,
    lot_id: session.lot_id,
    tariff_id: session.tariff_id,
    currency,
    amount_due: majorUnits(amountDueMinor(details, now), currency),
    exit_license_plate: sessionPlate(details.exit),
    plate_readings: readings.map(plateReadingRecord),
    updated_at: iso(session.updated_at),
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

function sessionPlate(details: PlateReadingDetails | null): Session['entry_license_plate'] {
  if (details === null) return null;
  return { id: details.reading.id, plate: details.reading.plate, ...imageLinks(details.images) };
}

function amountDueMinor({ session, tariff, timezone }: SessionDetails, now: number): number {
  if (tariff === null) return 0;
  const price = priceStay(
    { ...tariff, windows: JSON.parse(tariff.windows) as TariffWindow[] },
    {
      began_ms: session.created_at,
      ended_ms: session.ended_at ?? now,
      discount_minutes: session.discount_time,
      timezone,
    },
  );
  return Math.max(0, price - session.amount_paid_minor);
}
