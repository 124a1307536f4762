/** A gateway's reports of its products, cameras and parking gateways over MQTT: only the latest one counts, and none is in the outbox. */
import { z } from 'zod';
import { PERMANENT_POSITIONS, PRESENCE_STATES, PRODUCT_STATES } from './events/event-schemas.js';
import { productDeviceIdSchema } from './ids.js';
import { durationMs, epochMs, idSchema, offsetMs, REPORTED_MAX, rssiSchema, textSchema } from './uplink-bounds.js';

/** The longest manufacturer data that Bluetooth carries in one advertisement, as hex. */
const ADVERTISEMENT_LENGTH_MAX = 510;

const U32_MAX = 0xffffffff;

/** What a gateway knows of one product, from its advertisement or an authenticated STATUS. */
export const productReportSchema = z.object({
  product_id: idSchema,
  device_id: productDeviceIdSchema,
  status: z.enum(PRESENCE_STATES),
  /** null: not known in this boot */
  state: z.enum(PRODUCT_STATES).nullable(),
  permanent_position: z.enum(PERMANENT_POSITIONS).nullable(),
  is_car_on_top: z.boolean().nullable(),
  is_autoclose: z.boolean().nullable(),
  /** Seconds; null before the first STATUS. */
  autoclose_time: z.number().int().min(0).max(255).nullable(),
  /** 0..100 percent */
  battery_status: z.number().int().min(0).max(100).nullable(),
  /** dBm */
  rssi: rssiSchema.nullable(),
  /** The STATUS block's error bits (product protocol). */
  errors: z.number().int().min(0).max(255),
  /** Manufacturer data as hex. */
  advertisement_data: textSchema(ADVERTISEMENT_LENGTH_MAX).nullable(),
  /** How long ago it was last heard. */
  seen_ago_ms: durationMs.nullable(),
  /** The last recent advertisement that this gateway's keys do not prove: the product is not paired, or was paired again. */
  unproven: z.object({ rssi: rssiSchema, advertisement_data: textSchema(64) }).optional(),
  /** The product's clock is wrong, and this gateway may not set it right. */
  wrong_clock: z
    .object({
      /** Seconds; below 0: it is behind. */
      off_s: z.number().int().min(-U32_MAX).max(U32_MAX),
      /** What a `clock` record has to name (product protocol); null: that exchange is too long ago. */
      nonce: z.number().int().min(0).max(U32_MAX).nullable(),
    })
    .optional(),
  /** The last admin record that the product answered to this gateway since it started. */
  admin: z
    .object({
      serial: z.number().int().min(0).max(U32_MAX),
      /** null: the product obeyed; else the type of gateway_error with which it refused. */
      error_type: z.number().int().min(0).max(255).nullable(),
    })
    .optional(),
});
export type ProductReport = z.infer<typeof productReportSchema>;

/** The longest problem of a camera's report, in characters. */
export const PROBLEM_LENGTH_MAX = 500;

/** What a camera that is there may be besides (specification, "lpr_event"): it refuses the gateway's account, sleeps, or was reset. */
export const CAMERA_CONDITIONS = ['auth', 'sleep', 'reset'] as const;
export type CameraCondition = (typeof CAMERA_CONDITIONS)[number];

/** Whether a camera answers: it is probed every 60 s and is offline after three misses. */
export const cameraReportSchema = z.object({
  lpr_camera_id: idSchema,
  status: z.enum(PRESENCE_STATES),
  /** Why the camera does not work as it should, in words for people; null: no problem is known. Older gateways leave it out. */
  problem: textSchema(PROBLEM_LENGTH_MAX).nullable().optional(),
  /** Left out: nothing but `status`. Older gateways leave it out. */
  condition: z.enum(CAMERA_CONDITIONS).optional().catch(undefined),
  /** How far its clock is behind the gateway's; null: no read has shown it. Older gateways leave it out. */
  clock_behind_ms: offsetMs.nullable().optional(),
});
export type CameraReport = z.infer<typeof cameraReportSchema>;

/** When a parking gateway was last heard, also while its places stay as they are. */
export const parkingGatewayReportSchema = z.object({
  parking_gateway_id: idSchema,
  heard_ago_ms: durationMs,
});
export type ParkingGatewayReport = z.infer<typeof parkingGatewayReportSchema>;

/** Which sensors of a parking gateway are silent for three heartbeats; its others are not. Of very many it tells the first ones. */
export const silentSensorsReportSchema = z.object({
  parking_gateway_id: idSchema,
  /** `silent_ms`: since when it was not heard. */
  places: z.array(z.object({ parking_place_id: idSchema, silent_ms: durationMs })).max(REPORTED_MAX),
});
export type SilentSensorsReport = z.infer<typeof silentSensorsReportSchema>;

/** The longest name of an adapter, in characters. */
const ADAPTER_NAME_MAX = 32;
const ADAPTERS_MAX = 16;
const countSchema = z.number().int().min(0).max(U32_MAX);
const radioStateSchema = z.enum(['off', 'unavailable', 'on']);

/** How the gateway itself is. */
export const gatewayHealthReportSchema = z.object({
  uptime_ms: durationMs,
  /** When the first of its own credentials ends, wall milliseconds; null: it has none. */
  tokens_end_ms: epochMs.nullable(),
  /** What waits to be sent; null: its store does not answer. `oldest_ms` by the gateway's clock of that time; null: nothing waits. */
  queue: z.object({ depth: countSchema.nullable(), oldest_ms: epochMs.nullable() }),
  radio: z.object({
    state: radioStateSchema,
    /** `links`: how many connections it has; null: an older gateway, which does not say. */
    adapters: z
      .array(
        z.object({
          name: textSchema(ADAPTER_NAME_MAX),
          state: radioStateSchema,
          links: countSchema.nullable().default(null),
        }),
      )
      .max(ADAPTERS_MAX),
    /** How often each step was made since the agent started. */
    recoveries: z.object({
      free: countSchema.default(0),
      rescan: countSchema,
      reset: countSchema,
      restart: countSchema,
      power: countSchema,
    }),
  }),
  /** Wall clock minus cloud time; null: never measured. */
  clock: z.object({ is_ok: z.boolean(), offset_ms: offsetMs.nullable() }),
  store: z.object({ bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), is_ok: z.boolean() }),
});
export type GatewayHealthReport = z.infer<typeof gatewayHealthReportSchema>;

/** The longest text of a display, in characters. */
export const SHOWN_LENGTH_MAX = 4_000;

/** What a display was last sent, and took. */
export const displayReportSchema = z.object({
  display_id: idSchema,
  text: textSchema(SHOWN_LENGTH_MAX),
  shown_ago_ms: durationMs,
  /** It is the stale text, because the count is not known. */
  is_stale: z.boolean(),
});
export type DisplayReport = z.infer<typeof displayReportSchema>;

/**
 * Topic `up/report`: telemetry, the latest only, never queued, QoS 0. A report lists all products, all cameras, the parking gateways
 * that were heard, the displays that took a text since the agent started, or how the
 * gateway itself is.
 */
export const gatewayReportSchema = z.object({
  products: z.array(productReportSchema).max(REPORTED_MAX),
  cameras: z.array(cameraReportSchema).max(REPORTED_MAX).optional(),
  parking_gateways: z.array(parkingGatewayReportSchema).max(REPORTED_MAX).optional(),
  /** Older gateways leave it out. */
  silent_sensors: z.array(silentSensorsReportSchema).max(REPORTED_MAX).optional(),
  health: gatewayHealthReportSchema.optional(),
  displays: z.array(displayReportSchema).max(REPORTED_MAX).optional(),
});
export type GatewayReport = z.infer<typeof gatewayReportSchema>;
