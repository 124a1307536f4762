/**
 * The reports of a gateway about its products, cameras and parking gateways over MQTT. Only the latest report counts, so reports are not kept
 * in the outbox.
 */
import { z } from 'zod';
import { doctorReportSchema } from './doctor/report.js';
import { PERMANENT_POSITIONS, PRESENCE_STATES, PRODUCT_STATES } from './events/event-schemas.js';
import { productDeviceIdSchema } from './ids.js';
import { updateReportSchema } from './releases.js';
import { askAnswerSchema } from './uplink-asks.js';
import { durationMs, epochMs, idSchema, offsetMs, REPORTED_MAX, rssiSchema, textSchema } from './uplink-bounds.js';

/** The maximum length of the manufacturer data in one Bluetooth advertisement, in hex digits. */
const ADVERTISEMENT_LENGTH_MAX = 510;

const U32_MAX = 0xffffffff;

/** A gateway's knowledge of one product, from its advertisement or an authenticated STATUS. */
export const productReportSchema = z.object({
  product_id: idSchema,
  device_id: productDeviceIdSchema,
  status: z.enum(PRESENCE_STATES),
  /** null: not known since the gateway booted. */
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
  /** How long ago the product was last heard. */
  seen_ago_ms: durationMs.nullable(),
  /** The last recent advertisement that could not be verified with this gateway's keys: the product is not paired, or was paired again. */
  unproven: z.object({ rssi: rssiSchema, advertisement_data: textSchema(64) }).optional(),
  /** Present when the product's clock is wrong and this gateway is not allowed to correct it. */
  wrong_clock: z
    .object({
      /** Seconds; negative when the product's clock is behind. */
      off_s: z.number().int().min(-U32_MAX).max(U32_MAX),
      /** The nonce that a `clock` record has to contain (product protocol); null: the exchange that showed it is too long ago. */
      nonce: z.number().int().min(0).max(U32_MAX).nullable(),
    })
    .optional(),
  /** The result of the last admin record that this gateway brought to the product since the agent started; left out: there is none. */
  admin: z
    .object({
      serial: z.number().int().min(0).max(U32_MAX),
      /** null: the product accepted the record; otherwise the type of gateway_error with which it refused, or was not reached (2, 3, 4). */
      error_type: z.number().int().min(0).max(255).nullable(),
    })
    .optional(),
});
export type ProductReport = z.infer<typeof productReportSchema>;

/** The maximum length of a camera's problem, in characters. */
export const PROBLEM_LENGTH_MAX = 500;

/** Further conditions of a camera that answers (specification, "lpr_event"): it refuses the gateway's credentials, sleeps, or was reset. */
export const CAMERA_CONDITIONS = ['auth', 'sleep', 'reset'] as const;
export type CameraCondition = (typeof CAMERA_CONDITIONS)[number];

/** Whether a camera answers. It is probed every 60 s and is offline after three failed probes. */
export const cameraReportSchema = z.object({
  lpr_camera_id: idSchema,
  status: z.enum(PRESENCE_STATES),
  /** Why the camera does not work properly, in words for people; null: no problem is known. */
  problem: textSchema(PROBLEM_LENGTH_MAX).nullable(),
  /** Left out when only `status` applies. */
  condition: z.enum(CAMERA_CONDITIONS).optional().catch(undefined),
  /** How far the camera's clock is behind the gateway's; left out: no read has shown it yet. */
  clock_behind_ms: offsetMs.optional(),
});
export type CameraReport = z.infer<typeof cameraReportSchema>;

/** When a parking gateway was last heard. It is reported even if no place has changed. */
export const parkingGatewayReportSchema = z.object({
  parking_gateway_id: idSchema,
  heard_ago_ms: durationMs,
});
export type ParkingGatewayReport = z.infer<typeof parkingGatewayReportSchema>;

/**
 * The sensors of a parking gateway that have been silent for three heartbeats. All its other sensors are not silent. If
 * there are more than `REPORTED_MAX`, only the first ones are listed.
 */
export const silentSensorsReportSchema = z.object({
  parking_gateway_id: idSchema,
  /** `silent_ms`: for how long the sensor has been silent. */
  places: z.array(z.object({ parking_place_id: idSchema, silent_ms: durationMs })).max(REPORTED_MAX),
});
export type SilentSensorsReport = z.infer<typeof silentSensorsReportSchema>;

/** The maximum length of an adapter's name, in characters. */
const ADAPTER_NAME_MAX = 32;
const ADAPTERS_MAX = 16;
const countSchema = z.number().int().min(0).max(U32_MAX);
const radioStateSchema = z.enum(['off', 'unavailable', 'on']);

/** How many things that cannot be reached a gateway names at most. */
export const FAULTS_MAX = 100;
const thingFaultSchema = z.object({
  kind: z.enum(['parking_gateway', 'display']),
  id: idSchema,
  /** In words for people. */
  problem: textSchema(PROBLEM_LENGTH_MAX),
});
export type ThingFault = z.infer<typeof thingFaultSchema>;

/** The state of the gateway itself. */
export const gatewayHealthReportSchema = z.object({
  uptime_ms: durationMs,
  /** When the first of its own credentials expires, wall milliseconds; null: it has none. */
  tokens_end_ms: epochMs.nullable(),
  /**
   * The records that wait to be sent; `depth` null: the gateway's store does not answer. `oldest_ms` is by the gateway's clock at that time;
   * null: nothing waits.
   */
  queue: z.object({ depth: countSchema.nullable(), oldest_ms: epochMs.nullable() }),
  radio: z.object({
    state: radioStateSchema,
    /** `links`: the number of connections. */
    adapters: z
      .array(z.object({ name: textSchema(ADAPTER_NAME_MAX), state: radioStateSchema, links: countSchema }))
      .max(ADAPTERS_MAX),
    /** How often each recovery step was taken since the agent started. */
    recoveries: z.object({
      free: countSchema,
      rescan: countSchema,
      reset: countSchema,
      restart: countSchema,
      power: countSchema,
    }),
  }),
  /** `offset_ms`: wall clock minus cloud time; null: never measured. */
  clock: z.object({ is_ok: z.boolean(), offset_ms: offsetMs.nullable() }),
  store: z.object({ bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), is_ok: z.boolean() }),
  /** The parking gateways and displays that do not work as they should; cameras have reports of their own. Left out by older gateways. */
  faults: z.array(thingFaultSchema).max(FAULTS_MAX).optional(),
  /** Its software; left out where nothing installs releases. */
  update: updateReportSchema.optional(),
});
export type GatewayHealthReport = z.infer<typeof gatewayHealthReportSchema>;

/** The maximum length of a display's text, in characters. */
export const SHOWN_LENGTH_MAX = 4_000;

/** The last text that was sent to a display and accepted by it. */
export const displayReportSchema = z.object({
  display_id: idSchema,
  text: textSchema(SHOWN_LENGTH_MAX),
  shown_ago_ms: durationMs,
  /** Whether it is the stale text, because the count is not known. */
  is_stale: z.boolean(),
});
export type DisplayReport = z.infer<typeof displayReportSchema>;

/**
 * Topic `up/report`: telemetry, sent with QoS 0 and never queued; only the latest report counts. Each part lists all products, all cameras,
 * the parking gateways that were heard, the displays that accepted a text since the agent started, the state of the gateway itself, what
 * `doctor` found, or an answer.
 */
export const gatewayReportSchema = z.object({
  products: z.array(productReportSchema).max(REPORTED_MAX),
  cameras: z.array(cameraReportSchema).max(REPORTED_MAX).optional(),
  parking_gateways: z.array(parkingGatewayReportSchema).max(REPORTED_MAX).optional(),
  silent_sensors: z.array(silentSensorsReportSchema).max(REPORTED_MAX).optional(),
  health: gatewayHealthReportSchema.optional(),
  displays: z.array(displayReportSchema).max(REPORTED_MAX).optional(),
  /** The last findings of `doctor`. A report that cannot be read is dropped, and the rest is still applied. */
  doctor: doctorReportSchema.optional().catch(undefined),
  /** The answer to an ask. One that cannot be read is dropped, like the findings. */
  answer: askAnswerSchema.optional().catch(undefined),
});
export type GatewayReport = z.infer<typeof gatewayReportSchema>;
