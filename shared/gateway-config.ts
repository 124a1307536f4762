/**
 * What the cloud tells a gateway it needs to decide alone, in sections: each a map from key to item. A section travels as
 * a snapshot or as a delta from one revision to the next. A revision is a hash over the section's items, so that it needs
 * no counter that could be restored, cloned or lost, and the gateway can check what it holds (`config-revision.ts`).
 */
import { z } from 'zod';
import { CAMERA_DIRECTIONS, PLATE_SIDES } from './events/event-schemas.js';
import { cameraDeviceIdSchema, productDeviceIdSchema, PRODUCT_TYPES, uidSchema } from './ids.js';
import { epochSchema } from './uplink.js';

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const epochMs = z.number().int().nonnegative();

/** One of the three credentials of a product (specification, "Operation token"). */
const credentialSchema = z.object({ token: base64url, status_key: base64url, challenge_key: base64url });
export type Credential = z.infer<typeof credentialSchema>;

/** Key `self`. */
const gatewayItemSchema = z.object({
  gateway_id: z.number().int(),
  name: z.string(),
  lot_id: z.number().int().nullable(),
  lot_name: z.string().nullable(),
  timezone: z.string(),
  offline_exit: z.enum(['open', 'deny']),
  autonomy_days: z.number().int(),
  /** Other claimed gateways of the lot: only with some of them can a session be unknown here. */
  other_gateways_count: z.number().int().nonnegative(),
});

/** Key: device_id. Credentials are absent while the product is not paired. */
const productItemSchema = z.object({
  id: z.number().int(),
  device_id: productDeviceIdSchema,
  name: z.string(),
  type: z.enum(PRODUCT_TYPES),
  zone_id: z.number().int().nullable(),
  pairing: z
    .object({
      /** Grows with each pairing. */
      epoch: z.number().int(),
      /** K_adv, authenticates advertisements. */
      advertisement_key: base64url,
      token_open: credentialSchema,
      token_close: credentialSchema,
      token_status: credentialSchema,
      /** When the gateway's own credentials end. */
      expires_ms: epochMs,
    })
    .nullable(),
});
export type ProductItem = z.infer<typeof productItemSchema>;

/** Key: device_id. */
const cameraItemSchema = z.object({
  id: z.number().int(),
  device_id: cameraDeviceIdSchema,
  name: z.string(),
  driver: z.string(),
  address: z.string(),
  username: z.string(),
  password: z.string(),
  push_key: z.string(),
  timezone: z.string(),
  zone_id: z.number().int(),
  lpr_position: z.enum(CAMERA_DIRECTIONS),
  plate_side: z.enum(PLATE_SIDES),
  /** Seconds. */
  debounce_time: z.number().nonnegative(),
  direction_source: z.enum(['reported', 'position']),
  /** What an admitted vehicle opens; null: standalone. */
  product_device_id: productDeviceIdSchema.nullable(),
});
export type CameraItem = z.infer<typeof cameraItemSchema>;

/** Key: zone id. */
const zoneItemSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  /** 0: unlimited. */
  spot_count: z.number().int().nonnegative(),
  has_tariff: z.boolean(),
  occupancy_max_hours: z.number().positive(),
  /**
   * How many of the places that a parking gateway watches in the zone are occupied, as the cloud last heard; a gateway knows those it
   * watches itself better. Without any, the zone's open sessions count.
   */
  sensor_counts: z
    .array(z.object({ parking_gateway_id: z.number().int(), occupied_count: z.number().int().nonnegative() }))
    .default([]),
});
export type ZoneItem = z.infer<typeof zoneItemSchema>;

/** Key: normalised plate. Where the plate is whitelisted: zones of its groups, products it is bound to or has a key of. */
const plateItemSchema = z.object({
  zone_ids: z.array(z.number().int()),
  product_ids: z.array(z.number().int()),
  /** Active keys; left out when there is none. A key is valid from its start until just before its end (null: without an end). */
  keys: z.array(z.object({ product_id: z.number().int(), start_ms: epochMs, end_ms: epochMs.nullable() })).optional(),
});
export type PlateItem = z.infer<typeof plateItemSchema>;

/** Key: session uid. `ended_ms`: a look-alike ended it; its own plate may still leave within 24 h. */
const sessionItemSchema = z.object({
  uid: uidSchema,
  plate: z.string(),
  zone_id: z.number().int(),
  began_ms: epochMs,
  ended_ms: epochMs.nullable(),
});
export type SessionItem = z.infer<typeof sessionItemSchema>;

/** How a register's value becomes occupied or free. */
export const registerSchema = z.object({
  /** Modbus function code: 1 coils, 2 discrete inputs, 3 holding registers, 4 input registers. */
  function: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
  base: z.number().int().min(0).max(65_535),
  /** `mask`: occupied when a bit of it is set. `below`: occupied below it, free again above below + hysteresis. */
  occupied: z.union([
    z.strictObject({ mask: z.number().int().min(1).max(65_535) }),
    z.strictObject({
      below: z.number().int().min(0).max(65_535),
      hysteresis: z.number().int().min(0).max(65_535).default(0),
    }),
  ]),
  /** Values that are no measurement. */
  sentinels: z.array(z.number().int().min(0).max(65_535)).default([]),
});
export type RegisterConfig = z.infer<typeof registerSchema>;

/** Key: parking gateway id. With the places its sensors watch. */
const sensorItemSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  driver: z.string(),
  address: z.string(),
  unit: z.number().int().nullable(),
  poll_ms: z.number().int().positive(),
  /** Silent for three of these is offline. */
  heartbeat_s: z.number().int().positive(),
  register: registerSchema.nullable(),
  application: z.string().nullable(),
  places: z.array(
    z.object({
      id: z.number().int(),
      zone_id: z.number().int(),
      name: z.string(),
      /** Modbus: register base + this. LoRa: devEui. */
      sensor: z.string(),
      codec: z.string().nullable(),
      occupied_below_mm: z.number().int().nullable(),
      hysteresis_mm: z.number().int().nullable(),
    }),
  ),
});
export type SensorItem = z.infer<typeof sensorItemSchema>;

export const CONFIG_SECTIONS = {
  gateway: gatewayItemSchema,
  products: productItemSchema,
  cameras: cameraItemSchema,
  zones: zoneItemSchema,
  plates: plateItemSchema,
  sessions: sessionItemSchema,
  sensors: sensorItemSchema,
} as const;
export type ConfigSection = keyof typeof CONFIG_SECTIONS;
export const CONFIG_SECTION_NAMES = Object.keys(CONFIG_SECTIONS) as ConfigSection[];
export type ConfigItem<Section extends ConfigSection> = z.infer<(typeof CONFIG_SECTIONS)[Section]>;

/**
 * Topic `down/config`. `base` null: a snapshot, `upsert` is the whole section. Otherwise a delta on revision `base`; a
 * gateway that holds another one says hello again. `applied`: which of the gateway's own lane 0 records the items already
 * contain, read in the same transaction; what the gateway did after that still stands.
 */
export const configMessageSchema = z.object({
  section: z.enum(CONFIG_SECTION_NAMES as [ConfigSection, ...ConfigSection[]]),
  base: z.string().nullable(),
  revision: z.string(),
  upsert: z.record(z.string(), z.unknown()),
  remove: z.array(z.string()),
  applied: z.object({ epoch: epochSchema, seq: z.number().int().nonnegative() }).nullable(),
});
export type ConfigMessage = z.infer<typeof configMessageSchema>;

/** Answer of `POST /v2/gateways/claim`: how the gateway reaches its broker. `config`: the sections as it boots from them. */
export const claimAnswerSchema = z.object({
  mqtt: z.object({ url: z.string(), username: z.string(), password: z.string(), ca: z.string().nullable() }),
  config: z.array(configMessageSchema),
});
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;
