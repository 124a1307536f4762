/**
 * The JSON messages between a gateway and its cloud over MQTT; their topics are in `topics.ts`. The rules of delivery: the cloud accepts a
 * record only if its uid is new and its seq follows the ingest cursor of its outbox epoch and lane. The cloud acknowledges the record after
 * the commit, and the gateway deletes it only when it is acknowledged.
 */
import { z } from 'zod';
import { accessTraceSchema } from './access/access-trace.js';
import { sessionEffectSchema } from './access/session-effect.js';
import {
  ACCESS_DECISION_REASONS,
  ACCESS_DECISIONS,
  CAMERA_DIRECTIONS,
  OCCUPANCY_STATES,
  PLATE_SIDES,
  PERMANENT_POSITIONS,
  PRESENCE_STATES,
  PRODUCT_STATES,
  READ_DIRECTIONS,
  VEHICLE_TYPES,
} from './events/event-schemas.js';
import { TIME_SOURCES } from './decide-device-time.js';
import { eventIdSchema, uidSchema } from './ids.js';
import { PLATE_LENGTH_MAX } from './plate/normalise-plate.js';
import { PRODUCT_OPERATIONS } from './uplink-orders.js';
import {
  BATCH_RECORDS_MAX,
  countSchema,
  durationMs,
  epochMs,
  idSchema,
  IMAGE_BASE64_MAX,
  ordinalSchema,
  textSchema,
  THUMBNAIL_BASE64_MAX,
} from './uplink-bounds.js';

/**
 * 0 is critical (reads with their decisions, command results), 1 is changes, refinements and statuses, 2 is images. Telemetry (3) is never
 * queued.
 */
export const LANES = [0, 1, 2] as const;
export type Lane = (typeof LANES)[number];
const laneSchema = z.union([z.literal(0), z.literal(1), z.literal(2)]);

/** An outbox epoch. It is random, so that two gateways with clones of one memory card have different ones. */
export const outboxEpochSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')
  .brand<'OutboxEpoch'>();
export type OutboxEpoch = z.infer<typeof outboxEpochSchema>;

const seqSchema = countSchema;

export const imageRoleSchema = z.enum(['full', 'cropped']);
export type ImageRole = z.infer<typeof imageRoleSchema>;

/** An image that a read announces. Its bytes follow in lane 2. */
const imageReferenceSchema = z.object({ uid: uidSchema, role: imageRoleSchema });
export type ImageReference = z.infer<typeof imageReferenceSchema>;

/** A plate read as the gateway stored it. Times are wall milliseconds. */
export const plateReadingRecordSchema = z.object({
  lpr_camera_id: idSchema,
  zone_id: idSchema,
  plate: textSchema(PLATE_LENGTH_MAX).min(1),
  /** The plate as the camera wrote it. */
  raw_plate: textSchema(256),
  /** 0..1 */
  confidence: z.number().min(0).max(1).nullable(),
  direction: z.enum(READ_DIRECTIONS),
  type: z.enum(VEHICLE_TYPES).nullable(),
  make: textSchema(64).nullable(),
  color: textSchema(64).nullable(),
  model: textSchema(64).nullable(),
  country_code: textSchema(16).nullable(),
  plate_side: z.enum(PLATE_SIDES),
  lpr_camera_direction: z.enum(CAMERA_DIRECTIONS),
  vendor_event_id: textSchema(256).nullable(),
  event_ms: epochMs,
  /** The source of `event_ms`. Left out by older gateways, and in a refinement, which keeps the source of its reading. */
  time_source: z.enum(TIME_SOURCES).exactOptional(),
  retransmission: z.boolean(),
  images: z.array(imageReferenceSchema).max(4),
});
export type PlateReadingRecord = z.infer<typeof plateReadingRecordSchema>;

/** A read with its decision, its session and the intent to open. Lane 0. The record's uid is the reading's. */
export const plateReadRecordSchema = z.object({
  kind: z.literal('plate_read'),
  reading: plateReadingRecordSchema,
  access_decision: z.enum(ACCESS_DECISIONS).nullable(),
  access_decision_reason: z.enum(ACCESS_DECISION_REASONS).nullable(),
  session: sessionEffectSchema.nullable(),
  /** Whether the read counts as a lot entry (`lpr_event`), and whether the vehicle was allowed. */
  lot_entry: z.object({ is_allowed: z.boolean() }).nullable(),
  opening: z.object({ event_id: eventIdSchema, product_id: idSchema }).nullable(),
  /** The facts that the decision is based on. A trace that cannot be parsed is dropped, and the reading is still accepted. */
  trace: accessTraceSchema.optional().catch(undefined),
});
export type PlateReadRecord = z.infer<typeof plateReadRecordSchema>;

/**
 * The camera refined the plate, confidence or direction of a reading. Lane 0 if the refined read was decided (with its session and the intent
 * to open, as in a read's own record), otherwise lane 1. In lane 1 it may arrive before its reading and before earlier refinements.
 */
export const plateRefinedRecordSchema = z.object({
  kind: z.literal('plate_refined'),
  reading_uid: uidSchema,
  /** The number of this refinement of its reading, from 1. The highest one counts. */
  refinement: ordinalSchema,
  /** The refined read. `event_ms` and images are those of the original reading. */
  reading: plateReadingRecordSchema,
  /** null: the decision on the reading is not changed. */
  decided: plateReadRecordSchema.omit({ kind: true, reading: true }).nullable(),
});
export type PlateRefinedRecord = z.infer<typeof plateRefinedRecordSchema>;

/** The outcome of an opening that a read requested. Lane 0. */
export const openingResultRecordSchema = z.object({
  kind: z.literal('opening_result'),
  reading_uid: uidSchema,
  event_id: eventIdSchema,
  product_id: idSchema,
  /** `unknown`: the gateway was stopped between the intent and the outcome. The opening is never repeated. */
  outcome: z.enum(['succeeded', 'failed', 'unknown']),
  gateway_error_type: z.number().int().min(0).max(11).nullable(),
  /** A person at the gateway itself had it opened for a refused read. Left out: the decision on the read did. */
  is_on_site: z.literal(true).optional(),
});
export type OpeningResultRecord = z.infer<typeof openingResultRecordSchema>;

/** A vehicle without a usable plate. It is kept for 24 h with its image. Lane 1. */
export const sightingRecordSchema = z.object({
  kind: z.literal('sighting'),
  lpr_camera_id: idSchema,
  zone_id: idSchema,
  direction: z.enum(READ_DIRECTIONS),
  event_ms: epochMs,
  time_source: z.enum(TIME_SOURCES).exactOptional(),
  images: z.array(imageReferenceSchema).max(4),
});

/** The bytes of an image. Lane 2. */
export const imageRecordSchema = z.object({
  kind: z.literal('image'),
  /** The uid of the read or sighting that announced the image. */
  owner_uid: uidSchema,
  role: imageRoleSchema,
  mime: z.literal('image/jpeg'),
  /**
   * The image's thumbnail for lists, in base64. Left out for a small image. An invalid thumbnail is dropped, and the image is still accepted.
   */
  thumbnail: z.string().max(THUMBNAIL_BASE64_MAX).optional().catch(undefined),
  /** base64 */
  data: z.string().max(IMAGE_BASE64_MAX),
});
export type ImageRecord = z.infer<typeof imageRecordSchema>;

/** Which records of a lane the gateway dropped because its outbox was full. Lane 0. */
export const lostRecordSchema = z.object({
  kind: z.literal('lost'),
  lane: laneSchema,
  from: seqSchema,
  to: seqSchema,
});

/** A product's report of itself in an authenticated STATUS. */
export const productStatusSchema = z.object({
  state: z.enum(PRODUCT_STATES),
  permanent_position: z.enum(PERMANENT_POSITIONS),
  is_car_on_top: z.boolean(),
  is_autoclose: z.boolean(),
  /** Seconds. */
  autoclose_time: z.number().int().min(0).max(255),
  /** 0..100 percent */
  battery_status: z.number().int().min(0).max(100).nullable(),
  /** The STATUS block's error bits (product protocol). */
  errors: z.number().int().min(0).max(255),
});
export type ProductStatus = z.infer<typeof productStatusSchema>;

/** How one gateway's attempt at a command of the cloud ended. Lane 0, so that it is never dropped, however late it arrives. */
export const commandResultRecordSchema = z.object({
  kind: z.literal('command_result'),
  event_id: eventIdSchema,
  product_id: idSchema,
  outcome: z.enum(['succeeded', 'failed']),
  gateway_error_type: z.number().int().min(0).max(11).nullable(),
  /** Whether the outcome comes from an authenticated STATUS of the product. Otherwise it comes from the link only, or is not known. */
  authenticated: z.boolean(),
  /** The deadline had passed before anything was sent, so nothing moved. */
  refused_late: z.boolean(),
  /** null when there was no authenticated STATUS. */
  status: productStatusSchema.nullable(),
  /** For a pairing: the product's confirmation, base64url. Only the cloud can verify it. */
  confirmation: z.string().max(64).optional(),
});
export type CommandResultRecord = z.infer<typeof commandResultRecordSchema>;

/** A product's offer in a pairing. The gateway keeps the link to the product open for the cloud's answer. Lane 0. */
export const pairingOfferRecordSchema = z.object({
  kind: z.literal('pairing_offer'),
  event_id: eventIdSchema,
  product_id: idSchema,
  /** base64url */
  offer: z.string().max(128),
});
export type PairingOfferRecord = z.infer<typeof pairingOfferRecordSchema>;

/** A parking place became free or occupied. Lane 1. */
export const placeChangeRecordSchema = z.object({
  kind: z.literal('place_change'),
  parking_place_id: idSchema,
  occupancy_status: z.enum(OCCUPANCY_STATES),
  event_ms: epochMs,
  /** The source of the time: the sensor, or the arrival of its message. Older gateways leave it out. */
  time_source: z.enum(TIME_SOURCES).exactOptional(),
});
export type PlaceChangeRecord = z.infer<typeof placeChangeRecordSchema>;

/** A parking gateway went online or offline; its places keep their last state. Lane 1. */
export const parkingGatewayStatusRecordSchema = z.object({
  kind: z.literal('parking_gateway_status'),
  parking_gateway_id: idSchema,
  status: z.enum(PRESENCE_STATES),
  event_ms: epochMs,
});
export type ParkingGatewayStatusRecord = z.infer<typeof parkingGatewayStatusRecordSchema>;

export const LOCAL_ACTIONS = [
  'sign_in',
  'sign_in_refused',
  'operation',
  'let_in',
  'release',
  'release_clear',
  'ask_plate',
] as const;

/** Somebody's action at the gateway itself: at its console, or by a program. Lane 0, so that the audit log has it. */
export const localActionRecordSchema = z.object({
  kind: z.literal('local_action'),
  action: z.enum(LOCAL_ACTIONS),
  by: z.enum(['console', 'program']),
  /** The address that asked. */
  address: textSchema(64),
  at_ms: epochMs,
  /** For `operation` and `let_in`. */
  product_id: idSchema.nullable(),
  operation: z.enum(PRODUCT_OPERATIONS).nullable(),
  event_id: eventIdSchema.nullable(),
  /** For `ask_plate`: the vehicle that somebody asked about. Gateways of before this key never say it. */
  plate: textSchema(PLATE_LENGTH_MAX).nullable().default(null),
  /** The sighting that was let in. */
  sighting_uid: uidSchema.nullable(),
  /** The refused reading that was let through nevertheless. Gateways of before this key never let one through. */
  reading_uid: uidSchema.nullable().default(null),
  /** null: of nothing that a product is asked. A release is told when it is ordered; its outcome shows in the products' states. */
  outcome: z.enum(['succeeded', 'failed']).nullable(),
  gateway_error_type: z.number().int().min(0).max(11).nullable(),
  /** Whether the gateway was cut off from the cloud when it was done. Gateways of before this key do not say it, and may tell of it late. */
  was_cut_off: z.boolean().default(true),
  /** How often it happened: refused sign-ins are told together. */
  count: ordinalSchema,
});
export type LocalActionRecord = z.infer<typeof localActionRecordSchema>;

export const recordPayloadSchema = z.discriminatedUnion('kind', [
  plateReadRecordSchema,
  plateRefinedRecordSchema,
  openingResultRecordSchema,
  sightingRecordSchema,
  imageRecordSchema,
  lostRecordSchema,
  commandResultRecordSchema,
  pairingOfferRecordSchema,
  placeChangeRecordSchema,
  parkingGatewayStatusRecordSchema,
  localActionRecordSchema,
]);
export type RecordPayload = z.infer<typeof recordPayloadSchema>;

/** One record as sent. Its payload is parsed separately, so that an unknown payload becomes a dead letter and does not stop the lane. */
export const uplinkRecordSchema = z.object({
  seq: seqSchema.positive(),
  uid: uidSchema,
  boot_id: uidSchema,
  mono_ms: durationMs,
  wall_ms: epochMs,
  /** False while the gateway does not know the time, for example after a power cut without a real-time clock. */
  clock_ok: z.boolean(),
  payload: z.unknown(),
});
export type UplinkRecord = z.infer<typeof uplinkRecordSchema>;

/** Topic `up/records`. Records of one lane with ascending, gapless seqs. */
export const recordBatchSchema = z.object({
  epoch: outboxEpochSchema,
  lane: laneSchema,
  records: z.array(uplinkRecordSchema).min(1).max(BATCH_RECORDS_MAX),
});
export type RecordBatch = z.infer<typeof recordBatchSchema>;

/** How many sections a hello may list. It is more than exist today, because a newer gateway may have more. */
const SECTIONS_MAX = 64;

/**
 * Topic `up/hello`, sent after every connect and whenever the gateway doubts its configuration. `lanes`: the records that wait in the outbox.
 * first_seq is the lowest that is not acknowledged (last_seq + 1 when nothing waits).
 */
export const helloSchema = z.object({
  boot_id: uidSchema,
  /** Counts the connections since boot, so that the cloud recognises the last will of an older connection. */
  connection: ordinalSchema,
  agent_version: textSchema(64),
  mono_ms: durationMs,
  wall_ms: epochMs,
  clock_ok: z.boolean(),
  epoch: outboxEpochSchema,
  lanes: z.array(z.object({ lane: laneSchema, first_seq: seqSchema, last_seq: seqSchema })).max(LANES.length),
  /** The held revision of each section, by the section's name. */
  config: z
    .record(z.string().max(64), z.string().max(64))
    .refine((revisions) => Object.keys(revisions).length <= SECTIONS_MAX, 'names too many sections'),
});
export type Hello = z.infer<typeof helloSchema>;

/** Topic `up/presence`, retained. The last will is the same message with `offline`. */
export const presenceSchema = z.object({
  status: z.enum(PRESENCE_STATES),
  boot_id: uidSchema,
  connection: ordinalSchema,
});
export type Presence = z.infer<typeof presenceSchema>;

/** Topic `down/welcome`, the answer to hello: the cloud's cursors for the gateway's outbox epoch (0 when it does not know the epoch). */
export const welcomeSchema = z.object({
  epoch: outboxEpochSchema,
  cursors: z.array(z.object({ lane: laneSchema, seq: seqSchema })),
  /** Cloud time, wall milliseconds. */
  cloud_ms: epochMs,
});
export type Welcome = z.infer<typeof welcomeSchema>;

/**
 * Topic `down/greet`: asks the gateway to send hello and its reports again. The cloud sends it after its own start, or after it lost its link
 * to an external broker while the gateway stayed connected.
 */
export const greetSchema = z.object({});

/**
 * Topic `down/ack`: all records of the lane up to seq are committed. `gap`: the batch did not follow the cursor, and the gateway continues
 * with seq + 1. `diverged`: the cloud knows seqs of the batch with other uids, because gateway or cloud was restored or cloned; the gateway
 * begins a new outbox epoch.
 */
export const ackSchema = z.object({
  epoch: outboxEpochSchema,
  lane: laneSchema,
  seq: seqSchema,
  gap: z.boolean(),
  diverged: z.boolean(),
});
export type Ack = z.infer<typeof ackSchema>;
