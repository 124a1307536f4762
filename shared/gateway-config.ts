/**
 * The configuration of a gateway: everything that it needs to decide while it is offline. It consists of sections, each a map from key to
 * item. A section is sent as a snapshot, or as a delta from one revision to the next. A revision is a hash over the section's items. Unlike a
 * counter it stays correct when a database is restored or cloned, and the gateway can verify it (`config-revision.ts`).
 */
import { z } from 'zod';
import { RULE_OPERATORS } from './display/decide-display-text.js';
import { modbusRegisterWireSchema } from './drivers/modbus-register.js';
import { anyMappingSchema } from './drivers/sensor-mapping.js';
import { CAMERA_DIRECTIONS, PLATE_SIDES } from './events/event-schemas.js';
import { cameraDeviceIdSchema, productDeviceIdSchema, PRODUCT_TYPES, uidSchema } from './ids.js';
import { wantedUpdatesSchema } from './releases.js';
import { outboxEpochSchema } from './uplink.js';

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const epochMs = z.number().int().nonnegative();

/** One of the three credentials of a product (specification, "Operation token"). */
const credentialSchema = z.object({ token: base64url, status_key: base64url, challenge_key: base64url });
export type Credential = z.infer<typeof credentialSchema>;

/** `salt` and `hash` of a device's password. */
const passwordVerifierSchema = z.object({ salt: base64url, hash: base64url });
export type PasswordVerifier = z.infer<typeof passwordVerifierSchema>;

/** Key `self`. */
const gatewayItemSchema = z.object({
  gateway_id: z.number().int(),
  name: z.string(),
  lot_id: z.number().int().nullable(),
  lot_name: z.string().nullable(),
  timezone: z.string(),
  offline_exit: z.enum(['open', 'deny']),
  autonomy_days: z.number().int(),
  /** How many other claimed gateways the lot has. With 0, this gateway knows every session of the lot. */
  other_gateways_count: z.number().int().nonnegative(),
  /** Their names, of many the first ones; left out by older clouds. */
  other_gateways: z.array(z.string()).optional(),
  /** The Ed25519 key that the cloud signs with (`gateway-standing.ts`); left out by older clouds. */
  cloud_key: base64url.optional(),
  /** By which the local console recognises the device's password (`node/console-password.ts`); null: it has none. Left out by older clouds. */
  console_password: passwordVerifierSchema.nullish(),
  /** Which software it shall have. Left out: there is nothing to say. */
  updates: wantedUpdatesSchema.optional(),
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
  /** It posts to a fixed path, in which no key fits, and is heard there by its address alone. */
  push_without_key: z.boolean().default(false),
  timezone: z.string(),
  zone_id: z.number().int(),
  lpr_position: z.enum(CAMERA_DIRECTIONS),
  plate_side: z.enum(PLATE_SIDES),
  /** Seconds. */
  debounce_time: z.number().nonnegative(),
  direction_source: z.enum(['reported', 'position']),
  /** 0..1: a read with a lower confidence becomes a sighting. */
  min_confidence: z.number().min(0).max(1).default(0),
  /** The product that an admitted vehicle opens; null: the camera is standalone. */
  product_device_id: productDeviceIdSchema.nullable(),
  /** How to interpret what the camera posts (`drivers/camera-mapping.ts`). */
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
   * How many places of the zone are occupied, for each parking gateway that watches some of them, as the cloud last heard. A gateway uses its
   * own count for the parking gateways that it reads itself. In a zone without any item here, or whose sensors have never reported anything
   * (`is_heard`), the open sessions are counted instead.
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
   * The result of the last recount. Sessions that began until `uncounted_until_ms` do not count, because their vehicles were not there.
   * `extra_count` vehicles without a session count until `extra_until_ms`. Left out: the zone was never recounted.
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

/** Key: normalised plate. It is whitelisted in the zones of its groups, and at the products that it is bound to or has an active key for. A time holds from its start until just before its end. */
const plateItemSchema = z.object({
  zone_ids: z.array(z.number().int()),
  product_ids: z.array(z.number().int()),
  /** The zones of members with a beginning or an end, left out when there is none. null: open on that side. Older gateways ignore them. */
  members: z
    .array(z.object({ zone_id: z.number().int(), start_ms: epochMs.nullable(), end_ms: epochMs.nullable() }))
    .optional(),
  /** Active operation keys, left out when there is none. `end_ms` null: open-ended. */
  keys: z.array(z.object({ product_id: z.number().int(), start_ms: epochMs, end_ms: epochMs.nullable() })).optional(),
});
export type PlateItem = z.infer<typeof plateItemSchema>;

/**
 * Key: session uid. `ended_ms` is set when a look-alike plate ended the session: the vehicle with the session's own plate may still leave
 * within 24 h.
 */
const sessionItemSchema = z.object({
  uid: uidSchema,
  plate: z.string(),
  zone_id: z.number().int(),
  began_ms: epochMs,
  ended_ms: epochMs.nullable(),
});
export type SessionItem = z.infer<typeof sessionItemSchema>;

/**
 * Key: parking gateway id. Contains the places that its sensors watch. `drivers/sensor-drivers.ts` says which settings a driver uses. A new
 * setting of a driver is added as an optional field, which older gateways ignore.
 */
const sensorItemSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  driver: z.string(),
  address: z.string(),
  unit: z.number().int().nullable(),
  poll_ms: z.number().int().positive(),
  /** Seconds. A sensor that is silent for three times as long is offline. */
  heartbeat_s: z.number().int().positive(),
  register: modbusRegisterWireSchema.nullable(),
  application: z.string().nullable(),
  /** How to interpret what its sensors send; the form depends on the driver (`drivers/sensor-mapping.ts`). */
  mapping: anyMappingSchema.nullish(),
  places: z.array(
    z.object({
      id: z.number().int(),
      zone_id: z.number().int(),
      name: z.string(),
      /**
       * The sensor's name at its parking gateway. Its meaning depends on the driver: for Modbus an offset from the register's base, for LoRa
       * the devEUI.
       */
      sensor: z.string(),
      codec: z.string().nullable(),
      occupied_below_mm: z.number().int().nullable(),
      hysteresis_mm: z.number().int().nullable(),
    }),
  ),
});
export type SensorItem = z.infer<typeof sensorItemSchema>;

/** Key: display id. Only displays that the gateway itself writes to. */
const displayItemSchema = z.object({
  id: z.number().int(),
  name: z.string(),
  /** The zone that is counted; null: the whole lot. */
  zone_id: z.number().int().nullable(),
  driver: z.string(),
  address: z.string(),
  template: z.string(),
  /** The text that is shown while the count is not known. */
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

/**
 * Key: the uid of a sighting, or of a reading that was refused, that somebody dealt with within a day after it came. Gateways of before this
 * section log it as not understood, and go on.
 */
const handledItemSchema = z.object({
  how: z.enum(['let_in', 'ignored', 'settled']),
  /** The name of who did. */
  by: z.string(),
  at_ms: epochMs,
});
export type HandledItem = z.infer<typeof handledItemSchema>;

export const CONFIG_SECTIONS = {
  gateway: gatewayItemSchema,
  products: productItemSchema,
  cameras: cameraItemSchema,
  zones: zoneItemSchema,
  plates: plateItemSchema,
  sessions: sessionItemSchema,
  sensors: sensorItemSchema,
  displays: displayItemSchema,
  handled: handledItemSchema,
} as const;
export type ConfigSection = keyof typeof CONFIG_SECTIONS;
export const CONFIG_SECTION_NAMES = Object.keys(CONFIG_SECTIONS) as ConfigSection[];
export type ConfigItem<Section extends ConfigSection> = z.infer<(typeof CONFIG_SECTIONS)[Section]>;

/**
 * Topic `down/config`. With `base` null it is a snapshot, and `upsert` is the whole section. Otherwise it is a delta on revision `base`; a
 * gateway that holds another revision sends hello again. `applied`: the seq of the last of the gateway's own lane 0 records that the items
 * include, read in the same transaction. The gateway keeps the effects of its later records on top of the section.
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

/** Answer of `POST /v2/gateways/claim`: how the gateway reaches its broker. `config`: the sections to start with. */
export const claimAnswerSchema = z.object({
  mqtt: z.object({ url: z.string(), username: z.string(), password: z.string(), ca: z.string().nullable() }),
  config: z.array(configMessageSchema),
});
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;
