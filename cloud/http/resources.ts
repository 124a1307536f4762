/** Records as REST answers show them: every key is there, null when it has no value. */
import { z } from '@hono/zod-openapi';
import {
  ACCESS_DECISION_REASONS,
  ACCESS_DECISIONS,
  BARRIER_STATES,
  CAMERA_DIRECTIONS,
  PERMANENT_POSITIONS,
  PLATE_SIDES,
  PRESENCE_STATES,
  PRODUCT_STATES,
  READ_DIRECTIONS,
  SESSION_SOURCES,
  VEHICLE_TYPES,
} from '../../shared/events/event-schemas.js';

const id = z.number().int();
const datetime = z.iso.datetime({ precision: 3 });
const flag = z.union([z.literal(0), z.literal(1)]);
/** A flag as it may be given: 0, 1, true or false. */
export const givenFlag = z.union([flag, z.boolean().transform((value) => (value ? 1 : 0))], 'must be 0 or 1');

/** Of a schema with a name: `.nullable()` would lose its null in the OpenAPI document. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

export const userTokenSchema = z
  .strictObject({
    id,
    type: z.string(),
    token: z.string(),
    name: z.string(),
    email: z.string(),
    account_id: id,
    account_role_id: id,
    account_user_role_id: id,
    account_user_id: id,
  })
  .openapi('UserToken');

const productErrorSchema = z
  .strictObject({
    id,
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
  })
  .openapi('ProductError');

const barrierSchema = z
  .strictObject({
    id,
    product_id: id,
    state: z.enum(BARRIER_STATES),
    is_autoclose: flag,
    is_car_on_top: flag,
    autoclose_time: z.number().int(),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('BarrierBlock');

const positionedBlockSchema = z
  .strictObject({
    id,
    product_id: id,
    state: z.enum(PRODUCT_STATES),
    permanent_position: z.enum(PERMANENT_POSITIONS),
    deleted_at: datetime.nullable(),
    created_at: datetime,
    updated_at: datetime,
  })
  .openapi('ProductBlock');

/** Of the blocks only the one that matches the product's type is present. */
export const productSchema = z
  .strictObject({
    id,
    device_id: z.string(),
    name: z.string(),
    power_type: z.string(),
    lot_id: id.nullable(),
    zone_id: id.nullable(),
    product_type_id: id,
    hardware_version: z.string(),
    firmware_version: z.string(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    status: z.enum(PRESENCE_STATES),
    advertisement_data: z.string(),
    battery_status: z.number().nullable(),
    product_error_id: id.nullable(),
    product_error: orNull(productErrorSchema),
    rssi: z.number().nullable(),
    created_at: datetime,
    updated_at: datetime,
    barrier: barrierSchema.optional(),
    gate: positionedBlockSchema.optional(),
    chain: positionedBlockSchema.optional(),
    bollard: positionedBlockSchema.optional(),
    brain: positionedBlockSchema.optional(),
  })
  .openapi('Product');
export type Product = z.infer<typeof productSchema>;

export const plateReadingSchema = z
  .strictObject({
    id,
    plate: z.string(),
    confidence: z.number().nullable(),
    image_url: z.string().nullable(),
    cropped_image_url: z.string().nullable(),
    direction: z.enum(READ_DIRECTIONS),
    type: z.enum(VEHICLE_TYPES).nullable(),
    make: z.string().nullable(),
    color: z.string().nullable(),
    model: z.string().nullable(),
    country_code: z.string().nullable(),
    session_id: id.nullable(),
    access_decision: z.enum(ACCESS_DECISIONS).nullable(),
    access_decision_reason: z.enum(ACCESS_DECISION_REASONS).nullable(),
    lpr_camera_id: id.nullable(),
    zone_id: id,
    plate_side: z.enum(PLATE_SIDES).nullable(),
    lpr_camera_direction: z.enum(CAMERA_DIRECTIONS).nullable(),
    created_at: datetime,
    updated_at: datetime,
    original_plate: z.string().nullable(),
    corrected_by: id.nullable(),
    corrected_at: datetime.nullable(),
  })
  .openapi('PlateReading');
export type PlateReading = z.infer<typeof plateReadingSchema>;

const sessionPlateSchema = z
  .strictObject({ id, plate: z.string(), image_url: z.string().nullable(), cropped_image_url: z.string().nullable() })
  .openapi('SessionPlate');
const sessionSourceSchema = z.strictObject({ id, type: z.enum(SESSION_SOURCES) }).openapi('SessionSource');

/** A session as lists and changes show it. */
export const sessionSchema = z
  .strictObject({
    id,
    public_id: z.string(),
    ended_at: datetime.nullable(),
    duration: z.number().int(),
    discount_time: z.number().int().nullable(),
    amount_paid: z.number(),
    possibly_exited: z.boolean().nullable(),
    exit_allowed: z.boolean(),
    entry_license_plate: orNull(sessionPlateSchema),
    created_at: datetime,
    entry: sessionSourceSchema,
    exit: orNull(sessionSourceSchema),
    zone_id: id,
    lot_id: id,
    tariff_id: id.nullable(),
    currency: z.string().nullable(),
    amount_due: z.number(),
    exit_license_plate: orNull(sessionPlateSchema),
    updated_at: datetime,
  })
  .openapi('Session');
export type Session = z.infer<typeof sessionSchema>;

/** A session as GET by id shows it: with the plate readings of the stay. */
export const sessionWithReadingsSchema = sessionSchema
  .extend({ plate_readings: z.array(plateReadingSchema) })
  .openapi('SessionWithReadings');
export type SessionWithReadings = z.infer<typeof sessionWithReadingsSchema>;
/** `operation` is one of the state call, or `settings`. */
export const commandSchema = z
  .strictObject({
    event_id: z.string(),
    product_id: id,
    operation: z.string(),
    status: z.enum(['pending', 'succeeded', 'failed']),
    gateway_error: z
      .strictObject({ type: z.union([z.number().int(), z.literal('Timeout')]), message: z.string().nullable() })
      .nullable(),
    attempts: z.array(
      z.strictObject({
        gateway_uuid: z.string().nullable(),
        rssi: z.number().int().nullable(),
        started_at: datetime,
        ended_at: datetime.nullable(),
        outcome: z.string().nullable(),
      }),
    ),
    created_at: datetime,
    ended_at: datetime.nullable(),
  })
  .openapi('Command');
export type CommandRecord = z.infer<typeof commandSchema>;
