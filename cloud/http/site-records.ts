/** What an operator manages, from rows to records of REST. */
import { registerSchema } from '../../shared/gateway-config.js';
import { majorUnits } from '../../shared/money.js';
import type { TariffWindow } from '../../shared/tariff/price-stay.js';
import { connectedDeviceType } from '../lpr/lot-entry-payload.js';
import { imageLinks } from '../lpr/reading-images-payload.js';
import type {
  CameraRow,
  GroupRow,
  MemberRow,
  NamedThing,
  SightingRow,
  ZoneRow,
} from '../store/queries/site-records.js';
import type { Row } from '../store/schema.js';
import type {
  BoundLicense,
  Gateway,
  Group,
  Lot,
  LprCamera,
  Member,
  ParkingGateway,
  ParkingPlace,
  Sighting,
  Tariff,
  Zone,
} from './site-resources.js';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
const times = (row: { created_at: number; updated_at: number }) => ({
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export function lotRecord(row: Row<'lots'>): Lot {
  const { id, account_id, name, address, latitude, longitude, timezone, offline_exit, autonomy_days } = row;
  const place = { address, latitude, longitude, timezone };
  return { id, lot_cluster_id: id, account_id, name, ...place, offline_exit, autonomy_days, ...times(row) };
}

export function zoneRecord(row: ZoneRow, occupied_count: number): Zone {
  const { id, account_id, lot_id, name, description, spot_count, tariff_ids, occupancy_max_hours } = row;
  const counts = { spot_count, occupied_count };
  const settings = { tariff_ids, occupancy_max_hours };
  return { id, account_id, lot_id, name, description, ...counts, ...settings, deleted_at: null, ...times(row) };
}

export function parkingPlaceRecord(row: Row<'parking_places'>): ParkingPlace {
  const { id, lot_id, zone_id, name, occupancy_status } = row;
  const { parking_gateway_id, sensor, codec, occupied_below_mm, hysteresis_mm } = row;
  const watched = { parking_gateway_id, sensor, codec, occupied_below_mm, hysteresis_mm };
  return { id, lot_id, zone_id, name, occupancy_status, ...watched, ...times(row) };
}

export function lprCameraRecord(row: CameraRow): LprCamera {
  return {
    id: row.id,
    device_id: row.device_id,
    device_serial: row.device_serial,
    name: row.name,
    account_id: row.account_id,
    zone_id: row.zone_id,
    gateway_id: row.gateway_id,
    product_id: row.product_id,
    status: row.status as LprCamera['status'],
    driver: row.driver,
    address: row.address,
    timezone: row.timezone,
    lpr_position: row.lpr_position,
    plate_side: row.plate_side,
    debounce_time: row.debounce_time,
    direction_source: row.direction_source,
    connected_device_type: connectedDeviceType(row.product_type_id),
    mac: row.mac,
    last_seen: isoOrNull(row.last_seen),
    deleted_at: null,
    ...times(row),
  };
}

export function parkingGatewayRecord(row: Row<'parking_gateways'>): ParkingGateway {
  const { id, name, account_id, lot_id, gateway_id, driver, address, unit, poll_ms, heartbeat_s } = row;
  const { application, status } = row;
  const register = row.register === null ? null : registerSchema.parse(JSON.parse(row.register));
  const device = { driver, address, unit, poll_ms, heartbeat_s, register, application };
  const seen = { status, last_seen: isoOrNull(row.last_seen) };
  return { id, name, account_id, lot_id, gateway_id, ...device, ...seen, ...times(row) };
}

export function gatewayRecord(row: Row<'gateways'>): Gateway {
  const { id, uuid, name, account_id, lot_id, status, agent_version } = row;
  const seen = { last_seen: isoOrNull(row.last_seen), claimed_at: isoOrNull(row.claimed_at) };
  return { id, uuid, name, account_id, lot_id, status, agent_version, ...seen, ...times(row) };
}

export function boundLicenseRecord(row: Row<'bound_licenses'>): BoundLicense {
  const { id, product_id, license_plate, name } = row;
  return { id, product_id, license_plate, name, ...times(row) };
}

export function memberRecord(row: MemberRow): Member {
  const { id, name, description, email, license_plate, account_id, groups } = row;
  return { id, name, description, email, license_plate, account_id, groups, ...times(row) };
}

/** @param zones those the caller may see */
export function groupRecord(row: GroupRow, zones: readonly NamedThing[]): Group {
  const { id, name, description, account_id, members, tariffs } = row;
  const shown = zones.map((zone) => ({ id: zone.id, name: zone.name }));
  return { id, name, description, account_id, members, tariffs, zones: shown, ...times(row) };
}

export function tariffRecord(row: Row<'tariffs'>): Tariff {
  const { id, name, account_id, currency, vat, free_minutes, step_minutes, daily_max_minor } = row;
  const windows = JSON.parse(row.windows) as TariffWindow[];
  return {
    id,
    name,
    account_id,
    currency,
    vat,
    free_minutes,
    price: majorUnits(row.price_minor, currency),
    step_minutes,
    daily_max: daily_max_minor === null ? null : majorUnits(daily_max_minor, currency),
    windows: windows.map(({ days, price, ...window }) => ({
      ...window,
      days: [...days],
      price: majorUnits(price, currency),
    })),
    ...times(row),
  };
}

export function sightingRecord(row: SightingRow): Sighting {
  const { id, lpr_camera_id, zone_id, created_at } = row;
  const direction = row.direction as Sighting['direction'];
  const { image_url } = imageLinks(row.images);
  return { id, lpr_camera_id, zone_id, direction, image_url, created_at: iso(created_at) };
}
