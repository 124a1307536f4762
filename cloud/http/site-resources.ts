/** Records of what an operator manages, as REST answers show them: every key is there, null when it has no value. */
import { z } from '@hono/zod-openapi';
import {
  CAMERA_DIRECTIONS,
  CONNECTED_DEVICE_TYPES,
  LPR_CAMERA_STATES,
  OCCUPANCY_STATES,
  PLATE_SIDES,
  PRESENCE_STATES,
  READ_DIRECTIONS,
} from '../../shared/events/event-schemas.js';
import { registerSchema } from '../../shared/gateway-config.js';

const id = z.number().int();
const datetime = z.iso.datetime({ precision: 3 });
const times = { created_at: datetime, updated_at: datetime };
const flag = z.union([z.literal(0), z.literal(1)]);
const named = z.strictObject({ id, name: z.string() });

export const lotSchema = z
  .strictObject({
    id,
    lot_cluster_id: id,
    account_id: id,
    name: z.string(),
    address: z.string(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    timezone: z.string(),
    offline_exit: z.enum(['open', 'deny']),
    autonomy_days: z.number().int(),
    ...times,
  })
  .openapi('Lot');
export type Lot = z.infer<typeof lotSchema>;

export const zoneSchema = z
  .strictObject({
    id,
    account_id: id,
    lot_id: id,
    name: z.string(),
    description: z.string().nullable(),
    spot_count: z.number().int(),
    occupied_count: z.number().int(),
    tariff_ids: z.array(id),
    occupancy_max_hours: z.number().int(),
    deleted_at: datetime.nullable(),
    ...times,
  })
  .openapi('Zone');
export type Zone = z.infer<typeof zoneSchema>;

export const parkingPlaceSchema = z
  .strictObject({
    id,
    lot_id: id,
    zone_id: id,
    name: z.string().nullable(),
    occupancy_status: z.enum(OCCUPANCY_STATES),
    parking_gateway_id: id.nullable(),
    sensor: z.string().nullable(),
    codec: z.string().nullable(),
    occupied_below_mm: z.number().int().nullable(),
    hysteresis_mm: z.number().int().nullable(),
    ...times,
  })
  .openapi('ParkingPlace');
export type ParkingPlace = z.infer<typeof parkingPlaceSchema>;

/** Its password, user name and push key are written only. */
export const lprCameraSchema = z
  .strictObject({
    id,
    device_id: z.string(),
    device_serial: z.string().nullable(),
    name: z.string(),
    account_id: id,
    zone_id: id,
    gateway_id: id.nullable(),
    product_id: id.nullable(),
    status: z.enum(LPR_CAMERA_STATES),
    driver: z.string(),
    address: z.string(),
    timezone: z.string(),
    lpr_position: z.enum(CAMERA_DIRECTIONS),
    plate_side: z.enum(PLATE_SIDES),
    debounce_time: z.number().int(),
    direction_source: z.enum(['reported', 'position']),
    connected_device_type: z.enum(CONNECTED_DEVICE_TYPES),
    mac: z.string().nullable(),
    last_seen: datetime.nullable(),
    deleted_at: datetime.nullable(),
    ...times,
  })
  .openapi('LprCamera');
export type LprCamera = z.infer<typeof lprCameraSchema>;

export const parkingGatewaySchema = z
  .strictObject({
    id,
    name: z.string(),
    account_id: id,
    lot_id: id,
    gateway_id: id.nullable(),
    driver: z.string(),
    address: z.string(),
    unit: z.number().int().nullable(),
    poll_ms: z.number().int(),
    heartbeat_s: z.number().int(),
    register: registerSchema.nullable(),
    application: z.string().nullable(),
    status: z.enum(PRESENCE_STATES),
    last_seen: datetime.nullable(),
    ...times,
  })
  .openapi('ParkingGateway');
export type ParkingGateway = z.infer<typeof parkingGatewaySchema>;

export const gatewaySchema = z
  .strictObject({
    id,
    uuid: z.string().nullable(),
    name: z.string(),
    account_id: id,
    lot_id: id.nullable(),
    status: z.enum(PRESENCE_STATES),
    agent_version: z.string().nullable(),
    last_seen: datetime.nullable(),
    claimed_at: datetime.nullable(),
    ...times,
  })
  .openapi('Gateway');
export type Gateway = z.infer<typeof gatewaySchema>;

/** The only answer that shows the code; null when it is told again. */
export const gatewayWithCodeSchema = gatewaySchema
  .extend({ claim_code: z.string().nullable(), claim_qr: z.string().nullable() })
  .openapi('GatewayWithClaimCode');

export const boundLicenseSchema = z
  .strictObject({ id, product_id: id, license_plate: z.string(), name: z.string(), ...times })
  .openapi('BoundLicense');
export type BoundLicense = z.infer<typeof boundLicenseSchema>;

export const memberSchema = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    email: z.string(),
    license_plate: z.string(),
    account_id: id,
    groups: z.array(named),
    ...times,
  })
  .openapi('Member');
export type Member = z.infer<typeof memberSchema>;

export const groupSchema = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    account_id: id,
    members: z.array(named),
    tariffs: z.array(named),
    zones: z.array(named),
    ...times,
  })
  .openapi('Group');
export type Group = z.infer<typeof groupSchema>;

export const tariffWindowSchema = z.strictObject({
  days: z.array(z.number().int().min(1).max(7)).min(1).max(7),
  start: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be HH:MM'),
  end: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be HH:MM'),
  price: z.number().min(0).max(1e9),
  step_minutes: z.number().int().min(1).max(525_600),
});

export const tariffSchema = z
  .strictObject({
    id,
    name: z.string(),
    account_id: id,
    currency: z.string(),
    vat: z.string(),
    free_minutes: z.number().int(),
    price: z.number(),
    step_minutes: z.number().int(),
    daily_max: z.number().nullable(),
    windows: z.array(tariffWindowSchema),
    ...times,
  })
  .openapi('Tariff');
export type Tariff = z.infer<typeof tariffSchema>;

export const lotEntrySchema = z
  .strictObject({
    id,
    scan_time: datetime,
    lpr_camera_id: id,
    lot_id: id,
    related_lot_entry_id: id.nullable(),
    duration: z.number().int().nullable(),
    is_allowed: flag,
    direction: z.enum(['in', 'out']),
    license_plate: z.string(),
    license_plate_image_url: z.string().nullable(),
    full_image_url: z.string().nullable(),
    make: z.string(),
    color: z.string(),
    model: z.string(),
    color_depth: z.number().nullable(),
    ...times,
  })
  .openapi('LotEntry');

export const sightingSchema = z
  .strictObject({
    id,
    lpr_camera_id: id,
    zone_id: id,
    direction: z.enum(READ_DIRECTIONS),
    image_url: z.string().nullable(),
    created_at: datetime,
  })
  .openapi('Sighting');
export type Sighting = z.infer<typeof sightingSchema>;
