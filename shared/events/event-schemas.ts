/**
 * Payloads of the realtime events, field by field (specification, "Events"). A field without a value is left out if it is marked
 * `.optional()`, and null otherwise.
 */
import { z } from 'zod';

/** ISO 8601, UTC, milliseconds. */
const datetime = z.iso.datetime({ precision: 3 });
const flag = z.union([z.literal(0), z.literal(1)]);
const link = z.string().nullable();

export const ACCESS_DECISIONS = ['denied', 'triggered'] as const;
export const ACCESS_DECISION_REASONS = [
  'debounce',
  'direction_mismatch',
  'max_capacity',
  'no_active_session',
  'no_tariff',
  'session_exit',
  'tariff',
  'unknown_direction',
  'whitelist',
] as const;
export const READ_DIRECTIONS = ['in', 'out', 'undefined'] as const;
export const CAMERA_DIRECTIONS = ['in', 'out', 'in/out'] as const;
export const VEHICLE_TYPES = ['bus', 'car', 'motorcycle', 'truck', 'van'] as const;
export const PLATE_SIDES = ['front', 'rear'] as const;
export const SESSION_SOURCES = ['lpr_camera', 'account', 'attendant', 'terminal', 'product', 'payment'] as const;
export const BARRIER_STATES = ['opened', 'closed'] as const;
export const PRODUCT_STATES = ['opened', 'closed', 'error', 'unknown', 'reserved', 'disabled'] as const;
export const PERMANENT_POSITIONS = ['disabled', 'stay_open', 'stay_close'] as const;
export const PRESENCE_STATES = ['online', 'offline'] as const;
export const LPR_CAMERA_STATES = ['online', 'offline', 'auth', 'sleep', 'reset'] as const;
export const CONNECTED_DEVICE_TYPES = ['gate', 'chain', 'bollard', 'other', 'standalone'] as const;

export const plateReadingEventSchema = z.strictObject({
  id: z.number().int(),
  plate: z.string(),
  confidence: z.number().nullable(),
  image_url: link,
  cropped_image_url: link,
  direction: z.enum(READ_DIRECTIONS),
  type: z.enum(VEHICLE_TYPES).nullable(),
  make: z.string().nullable(),
  color: z.string().nullable(),
  model: z.string().nullable(),
  country_code: z.string().nullable(),
  session_id: z.number().int().nullable(),
  access_decision: z.enum(ACCESS_DECISIONS).nullable(),
  access_decision_reason: z.enum(ACCESS_DECISION_REASONS).nullable(),
  lpr_camera_id: z.number().int(),
  zone_id: z.number().int(),
  plate_side: z.enum(PLATE_SIDES),
  lpr_camera_direction: z.enum(CAMERA_DIRECTIONS),
  created_at: datetime,
  updated_at: datetime,
});
export type PlateReadingEvent = z.infer<typeof plateReadingEventSchema>;

const sessionSourceSchema = z.strictObject({ id: z.number().int(), type: z.enum(SESSION_SOURCES) });

export const sessionEventSchema = z.strictObject({
  id: z.number().int(),
  public_id: z.string().regex(/^[A-Z0-9]{10}$/),
  ended_at: datetime.nullable().optional(),
  /** Seconds. */
  duration: z.number(),
  /** Minutes; -1 means unlimited. */
  discount_time: z.number().int().nullable().optional(),
  amount_paid: z.number(),
  possibly_exited: z.boolean().nullable().optional(),
  exit_allowed: z.boolean(),
  entry_license_plate: z
    .strictObject({ id: z.number().int(), plate: z.string(), image_url: link, cropped_image_url: link })
    .nullable(),
  created_at: datetime,
  entry: sessionSourceSchema,
  exit: sessionSourceSchema.nullable().optional(),
  zone_id: z.number().int(),
});
export type SessionEvent = z.infer<typeof sessionEventSchema>;

const lotEntrySchema = z.strictObject({
  id: z.number().int(),
  scan_time: datetime,
  lpr_camera_id: z.number().int(),
  lot_id: z.number().int(),
  related_lot_entry_id: z.number().int().nullable(),
  /** Seconds; out entries only. */
  duration: z.number().nullable(),
  is_allowed: flag,
  direction: z.enum(['in', 'out']),
  license_plate: z.string(),
  license_plate_image_url: z.string().nullable(),
  full_image_url: z.string().nullable(),
  make: z.string(),
  color: z.string(),
  model: z.string(),
  color_depth: z.number().nullable(),
  created_at: datetime,
  updated_at: datetime,
});

export const lprEventSchema = z.strictObject({
  lot_id: z.number().int(),
  data: lotEntrySchema.extend({
    lpr_camera: z.strictObject({
      id: z.number().int(),
      device_id: z.string(),
      device_serial: z.string().nullable(),
      name: z.string(),
      account_id: z.number().int(),
      zone_id: z.number().int(),
      status: z.enum(LPR_CAMERA_STATES),
      lpr_position: z.enum(CAMERA_DIRECTIONS),
      connected_device_type: z.enum(CONNECTED_DEVICE_TYPES),
      mac: z.string().nullable(),
      deleted_at: z.null(),
      created_at: datetime,
      updated_at: datetime,
    }),
    related_lot_entry: lotEntrySchema
      .extend({ lpr_camera: z.strictObject({ id: z.number().int(), device_id: z.string(), name: z.string() }) })
      .nullable(),
  }),
});
export type LprEvent = z.infer<typeof lprEventSchema>;

export const gatewayStatusEventSchema = z.strictObject({ uuid: z.string(), status: z.enum(PRESENCE_STATES) });

const productErrorSchema = z.strictObject({
  id: z.number().int(),
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
});

/** The barrier block with the spellings of realtime events: `is_auto_close`, `auto_close_time`, `create_at`. */
const barrierEventBlockSchema = z.strictObject({
  id: z.number().int(),
  product_id: z.number().int(),
  state: z.enum(BARRIER_STATES),
  is_auto_close: flag,
  is_car_on_top: flag,
  /** Seconds. */
  auto_close_time: z.number().int(),
  create_at: datetime,
  updated_at: datetime,
});

const brainTypeBlockSchema = z.strictObject({
  id: z.number().int(),
  product_id: z.number().int(),
  state: z.enum(PRODUCT_STATES),
  permanent_position: z.enum(PERMANENT_POSITIONS),
  deleted_at: datetime.nullable(),
  created_at: datetime,
  updated_at: datetime,
});

export const lotChangeEventSchema = z.strictObject({
  lot_id: z.number().int().nullable(),
  event_id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .optional(),
  data: z.strictObject({
    id: z.number().int(),
    device_id: z.string(),
    name: z.string(),
    lot_id: z.number().int().nullable(),
    product_type_id: z.number().int(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    status: z.enum(PRESENCE_STATES),
    battery_status: z.number().nullable(),
    rssi: z.number().nullable(),
    product_error_id: z.number().int().optional(),
    product_error: productErrorSchema.optional(),
    deleted_at: z.null(),
    created_at: datetime,
    updated_at: datetime,
    barrier: barrierEventBlockSchema.optional(),
    gate: brainTypeBlockSchema.optional(),
    chain: brainTypeBlockSchema.optional(),
    bollard: brainTypeBlockSchema.optional(),
    brain: brainTypeBlockSchema.optional(),
    lot: z
      .strictObject({
        id: z.number().int(),
        lot_cluster_id: z.number().int(),
        account_id: z.number().int(),
        name: z.string(),
        address: z.string(),
        latitude: z.number().nullable(),
        longitude: z.number().nullable(),
        timezone: z.string(),
        created_at: datetime,
        updated_at: datetime,
      })
      .nullable(),
  }),
});
export type LotChangeEvent = z.infer<typeof lotChangeEventSchema>;

/** `message` is left out when `type` is `Timeout`. */
export const gatewayErrorEventSchema = z.strictObject({
  type: z.union([z.number().int().min(0).max(11), z.literal('Timeout')]),
  event_id: z.string().regex(/^[0-9a-f]{8}$/),
  data: z.strictObject({ id: z.number().int(), name: z.string() }),
  message: z.string().optional(),
});

export const lprCameraStatusEventSchema = z.strictObject({
  id: z.number().int(),
  device_id: z.string(),
  status: z.enum(PRESENCE_STATES),
});

export const lotDetectionChangeEventSchema = z.strictObject({
  lots: z
    .array(
      z.strictObject({
        id: z.number().int(),
        detection_status: z.literal('online'),
        occupied_count: z.number().int().nonnegative(),
      }),
    )
    .length(1),
});

export const zoneChangeEventSchema = z.strictObject({
  zones: z
    .array(
      z.strictObject({
        id: z.number().int(),
        account_id: z.number().int(),
        lot_id: z.number().int(),
        name: z.string(),
        description: z.string().nullable(),
        spot_count: z.number().int().nonnegative(),
        occupied_count: z.number().int().nonnegative(),
        deleted_at: datetime.nullable(),
        created_at: datetime,
        updated_at: datetime,
      }),
    )
    .length(1),
});

export const OCCUPANCY_STATES = ['free', 'occupied'] as const;

export const parkingPlaceChangeEventSchema = z.strictObject({
  places: z
    .array(
      z.strictObject({
        id: z.number().int(),
        lot_id: z.number().int(),
        zone_id: z.number().int(),
        name: z.string().nullable(),
        occupancy_status: z.enum(OCCUPANCY_STATES),
      }),
    )
    .length(1),
});

export const parkingGatewayStateChangeEventSchema = z.strictObject({
  gateways: z.array(z.strictObject({ id: z.number().int(), status: z.enum(PRESENCE_STATES) })).length(1),
});

/**
 * Every event of the journal with the schema of its payload. `authorized` and `resync_required` belong to the connection and are not in the
 * journal.
 */
export const EVENT_SCHEMAS = {
  lot_change: lotChangeEventSchema,
  gateway_error: gatewayErrorEventSchema,
  gateway_status: gatewayStatusEventSchema,
  plate_reading_create: plateReadingEventSchema,
  plate_reading_update: plateReadingEventSchema,
  session_create: sessionEventSchema,
  session_update: sessionEventSchema,
  lpr_camera_status: lprCameraStatusEventSchema,
  lot_detection_change: lotDetectionChangeEventSchema,
  zone_change: zoneChangeEventSchema,
  parking_place_change: parkingPlaceChangeEventSchema,
  parking_gateway_state_change: parkingGatewayStateChangeEventSchema,
  lpr_event: lprEventSchema,
} as const;

export type EventName = keyof typeof EVENT_SCHEMAS;
export type EventPayload<Name extends EventName> = z.infer<(typeof EVENT_SCHEMAS)[Name]>;
