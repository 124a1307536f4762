/** Bodies of the control interface. Unknown keys are errors, so that a misspelt setting is not ignored. */
import { z } from 'zod';
import { VEHICLE_TYPES } from '../../../shared/events/event-schemas.js';

/** The highest speed of the traffic: barriers let no more vehicles through. */
export const SPEED_MAX = 60;

const INSIDE_GIVEN_MAX = 1_000;

/** Text that XML can carry. */
const shortText = z
  .string()
  .min(1)
  .max(64)
  .regex(/^\P{C}*$/u, 'must not hold control characters');

/** Seconds by which a clock is ahead; below 0: it is behind. */
const clockOff = z.number().int().min(-1_000_000_000).max(1_000_000_000);

/** The state of a product's surroundings and parts. */
const productConditionShape = {
  car_on_top: z.boolean(),
  jammed: z.boolean(),
  sensor_dirty: z.boolean(),
  rtc_valid: z.boolean(),
  clock_off_s: clockOff,
  /** Percent; null: none. */
  battery: z.number().int().min(0).max(100).nullable(),
  /** How long the product waits with its answer after it moved. */
  answer_delay_ms: z.number().int().min(0).max(120_000),
};

/** How well product and gateway hear each other. */
const linkShape = {
  in_range: z.boolean(),
  /** dBm */
  rssi: z.number().int().min(-127).max(20),
  /** Share of packets lost. */
  loss: z.number().min(0).max(1),
};

export const linkChangeSchema = z.strictObject(linkShape).partial();
export type LinkChange = z.infer<typeof linkChangeSchema>;

export const productChangeSchema = z.strictObject({ ...productConditionShape, ...linkShape }).partial();
export type ProductChange = z.infer<typeof productChangeSchema>;

export const cameraReadSchema = z.strictObject({
  plate: shortText,
  direction: z.enum(['in', 'out', 'undefined']).optional(),
  confidence: z.number().min(0).max(1).optional(),
  type: z.enum(VEHICLE_TYPES).optional(),
  make: shortText.optional(),
  color: shortText.optional(),
  country_code: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be two letters')
    .optional(),
  repeat: z.number().int().min(0).max(100).optional(),
  refines: z.boolean().optional(),
});

/** `silent`: the sensor does not measure any more. */
export const placeChangeSchema = z.strictObject({ occupied: z.boolean(), silent: z.boolean() }).partial();

export const cameraChangeSchema = z.strictObject({ online: z.boolean(), clock_off_s: clockOff }).partial();

/** `inside`: vehicles that are parked already, and their places. */
export const trafficChangeSchema = z
  .strictObject({
    speed: z.number().min(0).max(SPEED_MAX),
    inside: z.array(z.strictObject({ plate: shortText, place: shortText.optional() })).max(INSIDE_GIVEN_MAX),
  })
  .partial();
