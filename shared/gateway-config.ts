/**
 * The configuration of a gateway holds what it needs to decide alone, in sections; each is a map from key to item. A section travels
 * as a snapshot or as a delta from one revision to the next. A revision is a hash over the section's items: unlike a counter it cannot
 * be restored, cloned or lost, and the gateway can check what it holds (`config-revision.ts`).
 */
import { z } from 'zod';
import { RULE_OPERATORS } from './display/decide-display-text.js';
import { modbusRegisterWireSchema } from './drivers/modbus-register.js';
import { anyMappingSchema } from './drivers/sensor-mapping.js';
import { CAMERA_DIRECTIONS, PLATE_SIDES } from './events/event-schemas.js';
import { cameraDeviceIdSchema, productDeviceIdSchema, PRODUCT_TYPES, uidSchema } from './ids.js';
import { outboxEpochSchema } from './uplink.js';

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
  /** How many other claimed gateways the lot has. If there is none, this gateway knows every session. */
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
      /** The pairing epoch, which grows with each pairing. */
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
  /** 0..1: a read that the camera is less sure of is a sighting. */
  min_confidence: z.number().min(0).max(1).default(0),
  /** What an admitted vehicle opens; null: standalone. */
  product_device_id: productDeviceIdSchema.nullable(),
  /** How to read what it posts (`drivers/camera-mapping.ts`). */
  mapping: anyMappingSchema.nullish(),
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
   * How many places of the zone are occupied, for each parking gateway with places in it, as the cloud last heard. The gateway that
   * listens to a parking gateway knows better. For a zone without any item here, or of whose sensors none has said anything yet
   * (`is_heard`), its open sessions are its occupied places.
   */
  sensor_counts: z
    .array(
      z.object({
        parking_gateway_id: z.number().int(),
        occupied_count: z.number().int().nonnegative(),
        is_heard: z.boolean().default(true),
      }),
    )
    .default([]),
  /**
   * What a recount said of the zone's sessions: those that began until `uncounted_until_ms` are of vehicles that are not there, and
   * `extra_count` vehicles without a session count until `extra_until_ms`. Left out: nobody has recounted.
   */
  recount: z
    .object({
      uncounted_until_ms: epochMs,
      extra_count: z.number().int().nonnegative(),
      extra_until_ms: epochMs,
    })
    .optional(),
});
export type ZoneItem = z.infer<typeof zoneItemSchema>;

/** Key: normalised plate. It is whitelisted in the zones of its groups, and at the products that it is bound to or has a key for. */
const plateItemSchema = z.object({
  zone_ids: z.array(z.number().int()),
  product_ids: z.array(z.number().int()),
  /** Active operation keys; left out when there is none. Each is valid from its start until just before its end (null: without an end). */
  keys: z.array(z.object({ product_id: z.number().int(), start_ms: epochMs, end_ms: epochMs.nullable() })).optional(),
});
export type PlateItem = z.infer<typeof plateItemSchema>;

/** Key: session uid. `ended_ms` is set when a look-alike ended the session: its own plate may still leave within 24 h. */
const sessionItemSchema = z.object({
  uid: uidSchema,
  plate: z.string(),
  zone_id: z.number().int(),
  began_ms: epochMs,
  ended_ms: epochMs.nullable(),
});
export type SessionItem = z.infer<typeof sessionItemSchema>;

/**
 * Key: parking gateway id. Contains the places that its sensors watch. `drivers/sensor-drivers.ts` says which settings a driver uses;
 * a driver that needs another one adds it as an optional field, which older gateways ignore.
 */
const sensorItemSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  driver: z.string(),
  address: z.string(),
  unit: z.number().int().nullable(),
  poll_ms: z.number().int().positive(),
  /** A sensor that is silent for three of these is offline. */
  heartbeat_s: z.number().int().positive(),
  register: modbusRegisterWireSchema.nullable(),
  application: z.string().nullable(),
  /** What its sensors say, as data; its form depends on the driver (`drivers/sensor-mapping.ts`). */
  mapping: anyMappingSchema.nullish(),
  places: z.array(
    z.object({
      id: z.number().int(),
      zone_id: z.number().int(),
      name: z.string(),
      /** The sensor's name at its parking gateway; its meaning depends on the driver. Modbus: register base + this. LoRa: devEui. */
      sensor: z.string(),
      codec: z.string().nullable(),
      occupied_below_mm: z.number().int().nullable(),
      hysteresis_mm: z.number().int().nullable(),
    }),
  ),
});
export type SensorItem = z.infer<typeof sensorItemSchema>;

/** Key: display id. Displays with a driver that the gateway writes to. */
const displayItemSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  /** What is counted; null: the whole lot. */
  zone_id: z.number().int().nullable(),
  driver: z.string(),
  address: z.string(),
  template: z.string(),
  /** Its text while the count is not known. */
  stale_text: z.string(),
  rules: z.array(
    z.object({
      id: z.number().int(),
      operator: z.enum(RULE_OPERATORS),
      occupied_value: z.number().int(),
      occupied_value_to: z.number().int().nullable(),
      display_text: z.string(),
      order: z.number().int(),
      start_ms: epochMs.nullable(),
      end_ms: epochMs.nullable(),
    }),
  ),
});
export type DisplayItem = z.infer<typeof displayItemSchema>;

export const CONFIG_SECTIONS = {
  gateway: gatewayItemSchema,
  products: productItemSchema,
  cameras: cameraItemSchema,
  zones: zoneItemSchema,
  plates: plateItemSchema,
  sessions: sessionItemSchema,
  sensors: sensorItemSchema,
  displays: displayItemSchema,
} as const;
export type ConfigSection = keyof typeof CONFIG_SECTIONS;
export const CONFIG_SECTION_NAMES = Object.keys(CONFIG_SECTIONS) as ConfigSection[];
export type ConfigItem<Section extends ConfigSection> = z.infer<(typeof CONFIG_SECTIONS)[Section]>;

/**
 * Topic `down/config`. With `base` null it is a snapshot, and `upsert` is the whole section. Otherwise it is a delta on revision
 * `base`; a gateway that holds another one sends hello again. `applied`: the last of the gateway's own lane 0 records that the
 * items already contain, read in the same transaction; what later records changed still stands.
 */
export const configMessageSchema = z.object({
  section: z.enum(CONFIG_SECTION_NAMES as [ConfigSection, ...ConfigSection[]]),
  base: z.string().nullable(),
  revision: z.string(),
  upsert: z.record(z.string(), z.unknown()),
  remove: z.array(z.string()),
  applied: z.object({ epoch: outboxEpochSchema, seq: z.number().int().nonnegative() }).nullable(),
});
export type ConfigMessage = z.infer<typeof configMessageSchema>;

/** Answer of `POST /v2/gateways/claim`: how the gateway reaches its broker. `config`: the sections that it starts with. */
export const claimAnswerSchema = z.object({
  mqtt: z.object({ url: z.string(), username: z.string(), password: z.string(), ca: z.string().nullable() }),
  config: z.array(configMessageSchema),
});
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;
