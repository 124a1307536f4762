/**
 * What travels between a gateway and its cloud over MQTT, as JSON. Topics: `topics.ts`. The rules of delivery:
 * a record is taken only if its seq is the cursor + 1 of its (epoch, lane) and its uid is new; it is acknowledged after
 * the cloud's commit, and only an acknowledgement deletes it at the gateway.
 */
import { z } from 'zod';
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
import { eventIdSchema, productDeviceIdSchema, uidSchema } from './ids.js';

/** 0 critical (reads with their decisions, command results), 1 changes, refinements and statuses, 2 images. Telemetry (3) is never queued. */
export const LANES = [0, 1, 2] as const;
export type Lane = (typeof LANES)[number];
const laneSchema = z.union([z.literal(0), z.literal(1), z.literal(2)]);

/** Random per outbox generation, so that two clones of one card never share one. */
export const epochSchema = z
  .string()
  .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits')
  .brand<'Epoch'>();
export type Epoch = z.infer<typeof epochSchema>;

export const BATCH_RECORDS_MAX = 100;
export const BATCH_BYTES_MAX = 64 * 1024;

const epochMs = z.number().int().nonnegative();
const seqSchema = z.number().int().nonnegative();

export const imageRoleSchema = z.enum(['full', 'cropped']);
export type ImageRole = z.infer<typeof imageRoleSchema>;

/** One picture that is announced by a read; its bytes follow in lane 2. */
const imageReferenceSchema = z.object({ uid: uidSchema, role: imageRoleSchema });

/** A plate read as the gateway took it. Times are wall milliseconds of the event. */
export const plateReadingRecordSchema = z.object({
  lpr_camera_id: z.number().int(),
  zone_id: z.number().int(),
  plate: z.string().min(1).max(64),
  /** As the camera wrote it. */
  raw_plate: z.string().max(256),
  /** 0..1 */
  confidence: z.number().min(0).max(1).nullable(),
  direction: z.enum(READ_DIRECTIONS),
  type: z.enum(VEHICLE_TYPES).nullable(),
  make: z.string().nullable(),
  color: z.string().nullable(),
  model: z.string().nullable(),
  country_code: z.string().nullable(),
  plate_side: z.enum(PLATE_SIDES),
  lpr_camera_direction: z.enum(CAMERA_DIRECTIONS),
  vendor_event_id: z.string().nullable(),
  event_ms: epochMs,
  retransmission: z.boolean(),
  images: z.array(imageReferenceSchema).max(4),
});
export type PlateReadingRecord = z.infer<typeof plateReadingRecordSchema>;

/** What a decision does to the parking sessions of the lot. */
export const sessionEffectSchema = z.discriminatedUnion('effect', [
  z.object({
    effect: z.literal('begin'),
    session_uid: uidSchema,
    /** An earlier session of the plate that this entry ends (missed exit). */
    ended_session_uid: uidSchema.nullable(),
  }),
  z.object({ effect: z.literal('keep'), session_uid: uidSchema }),
  z.object({ effect: z.literal('end'), session_uid: uidSchema, look_alike: z.boolean() }),
]);
export type SessionEffect = z.infer<typeof sessionEffectSchema>;

/** A read with its decision, its session and the intent to open: ONE record, lane 0. The record's uid is the reading's. */
export const plateReadRecordSchema = z.object({
  kind: z.literal('plate_read'),
  reading: plateReadingRecordSchema,
  access_decision: z.enum(ACCESS_DECISIONS).nullable(),
  access_decision_reason: z.enum(ACCESS_DECISION_REASONS).nullable(),
  session: sessionEffectSchema.nullable(),
  /** Whether the read is accounted as a lot entry (`lpr_event`), and whether the vehicle was allowed. */
  lot_entry: z.object({ is_allowed: z.boolean() }).nullable(),
  opening: z.object({ event_id: eventIdSchema, product_id: z.number().int() }).nullable(),
});
export type PlateReadRecord = z.infer<typeof plateReadRecordSchema>;

/**
 * The camera refined plate, confidence or direction of a reading. Lane 0 where the refined read was decided (with its session
 * and the intent to open, as in a read's own record), else lane 1: it may come before others of its reading, and before that.
 */
export const plateRefinedRecordSchema = z.object({
  kind: z.literal('plate_refined'),
  reading_uid: uidSchema,
  /** The how manieth of its reading, from 1: of two the higher one says how the reading is. */
  refinement: z.number().int().positive(),
  /** As refined; `event_ms` is that of the reading, and pictures are the reading's own. */
  reading: plateReadingRecordSchema,
  /** null: the decision on the reading stands. */
  decided: plateReadRecordSchema.omit({ kind: true, reading: true }).nullable(),
});
export type PlateRefinedRecord = z.infer<typeof plateRefinedRecordSchema>;

/** How the opening that a read asked for went. Lane 0. */
export const openingResultRecordSchema = z.object({
  kind: z.literal('opening_result'),
  reading_uid: uidSchema,
  event_id: eventIdSchema,
  product_id: z.number().int(),
  /** `unknown`: the gateway was stopped between the intent and its outcome; it is never replayed. */
  outcome: z.enum(['succeeded', 'failed', 'unknown']),
  gateway_error_type: z.number().int().min(0).max(11).nullable(),
});
export type OpeningResultRecord = z.infer<typeof openingResultRecordSchema>;

/** A vehicle without a usable plate: kept 24 h with its picture. Lane 1. */
export const sightingRecordSchema = z.object({
  kind: z.literal('sighting'),
  lpr_camera_id: z.number().int(),
  zone_id: z.number().int(),
  direction: z.enum(READ_DIRECTIONS),
  event_ms: epochMs,
  images: z.array(imageReferenceSchema).max(4),
});

/** The bytes of a picture. Lane 2. */
export const imageRecordSchema = z.object({
  kind: z.literal('image'),
  /** uid of the read or sighting that announced it. */
  owner_uid: uidSchema,
  role: imageRoleSchema,
  mime: z.literal('image/jpeg'),
  /** base64 */
  data: z.string(),
});
export type ImageRecord = z.infer<typeof imageRecordSchema>;

/** Records of a lane that were given up when the queue reached its bounds: told, never hidden. Lane 0. */
export const lostRecordSchema = z.object({
  kind: z.literal('lost'),
  lane: laneSchema,
  from: seqSchema,
  to: seqSchema,
});

/** What a product told of itself in an authenticated STATUS. */
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

/** How one gateway's attempt at a command of the cloud ended. Lane 0: it is never lost, however late it comes. */
export const commandResultRecordSchema = z.object({
  kind: z.literal('command_result'),
  event_id: eventIdSchema,
  product_id: z.number().int(),
  outcome: z.enum(['succeeded', 'failed']),
  gateway_error_type: z.number().int().min(0).max(11).nullable(),
  /** The product itself said so in an authenticated STATUS; otherwise the link, or nobody, spoke. */
  authenticated: z.boolean(),
  /** The deadline had passed before anything was sent: nothing moved. */
  refused_late: z.boolean(),
  /** Null without an authenticated STATUS. */
  status: productStatusSchema.nullable(),
  /** Of a pairing: the product's own confirmation, base64url. Only the cloud can tell whether it is one. */
  confirmation: z.string().max(64).optional(),
});
export type CommandResultRecord = z.infer<typeof commandResultRecordSchema>;

/** What a product offers in a pairing, for the cloud to answer while the link to the product is held open. Lane 0. */
export const pairingOfferRecordSchema = z.object({
  kind: z.literal('pairing_offer'),
  event_id: eventIdSchema,
  product_id: z.number().int(),
  /** base64url */
  offer: z.string().max(128),
});
export type PairingOfferRecord = z.infer<typeof pairingOfferRecordSchema>;

/** A parking place became free or occupied. Lane 1. */
export const placeChangeRecordSchema = z.object({
  kind: z.literal('place_change'),
  parking_place_id: z.number().int(),
  occupancy_status: z.enum(OCCUPANCY_STATES),
  event_ms: epochMs,
});
export type PlaceChangeRecord = z.infer<typeof placeChangeRecordSchema>;

/** A parking-detection gateway went online or offline; places keep their last state. Lane 1. */
export const parkingGatewayStatusRecordSchema = z.object({
  kind: z.literal('parking_gateway_status'),
  parking_gateway_id: z.number().int(),
  status: z.enum(PRESENCE_STATES),
  event_ms: epochMs,
});
export type ParkingGatewayStatusRecord = z.infer<typeof parkingGatewayStatusRecordSchema>;

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
]);
export type RecordPayload = z.infer<typeof recordPayloadSchema>;

/** One record on the wire. The payload is parsed apart: one that is not understood is a dead letter, not a stop of the lane. */
export const uplinkRecordSchema = z.object({
  seq: z.number().int().positive(),
  uid: uidSchema,
  boot_id: uidSchema,
  mono_ms: z.number(),
  wall_ms: epochMs,
  /** False while the gateway does not know the time (no clock after a power cut). */
  clock_ok: z.boolean(),
  payload: z.unknown(),
});
export type UplinkRecord = z.infer<typeof uplinkRecordSchema>;

/** Topic `up/records`. Records of one lane, seq ascending without a gap. */
export const recordBatchSchema = z.object({
  epoch: epochSchema,
  lane: laneSchema,
  records: z.array(uplinkRecordSchema).min(1).max(BATCH_RECORDS_MAX),
});
export type RecordBatch = z.infer<typeof recordBatchSchema>;

/**
 * Topic `up/hello`, after every connect and whenever the gateway doubts its configuration.
 * `lanes`: what waits in the outbox; first_seq is the lowest not yet acknowledged (last_seq + 1 when nothing waits).
 */
export const helloSchema = z.object({
  boot_id: uidSchema,
  /** Counts the connections of this boot, so that an older connection's last will is told from the present one. */
  connection: z.number().int().positive(),
  agent_version: z.string(),
  mono_ms: z.number(),
  wall_ms: epochMs,
  clock_ok: z.boolean(),
  epoch: epochSchema,
  lanes: z.array(z.object({ lane: laneSchema, first_seq: seqSchema, last_seq: seqSchema })),
  /** Section name -> the revision held. */
  config: z.record(z.string(), z.string()),
});
export type Hello = z.infer<typeof helloSchema>;

/** Topic `up/presence`, retained; the last will is the same with `offline`. */
export const presenceSchema = z.object({
  status: z.enum(PRESENCE_STATES),
  boot_id: uidSchema,
  connection: z.number().int().positive(),
});
export type Presence = z.infer<typeof presenceSchema>;

/** What a gateway knows of one product, from its advertisement or an authenticated STATUS. */
export const productReportSchema = z.object({
  product_id: z.number().int(),
  device_id: productDeviceIdSchema,
  status: z.enum(PRESENCE_STATES),
  /** null: not known in this boot */
  state: z.enum(PRODUCT_STATES).nullable(),
  permanent_position: z.enum(PERMANENT_POSITIONS).nullable(),
  is_car_on_top: z.boolean().nullable(),
  is_autoclose: z.boolean().nullable(),
  /** Seconds; null while no STATUS told it. */
  autoclose_time: z.number().int().min(0).max(255).nullable(),
  /** 0..100 percent */
  battery_status: z.number().int().min(0).max(100).nullable(),
  /** dBm */
  rssi: z.number().int().nullable(),
  /** The STATUS block's error bits (product protocol). */
  errors: z.number().int().min(0).max(255),
  /** Manufacturer data as hex. */
  advertisement_data: z.string().nullable(),
  /** How long ago it was last heard. */
  seen_ago_ms: z.number().nonnegative().nullable(),
  /** What was heard last that this gateway's keys do not prove, while it is recent: a product not paired, or paired anew. */
  unproven: z.object({ rssi: z.number().int(), advertisement_data: z.string().max(64) }).optional(),
});
export type ProductReport = z.infer<typeof productReportSchema>;

/** Whether a camera answers: probed every 60 s, three misses are offline. */
export const cameraReportSchema = z.object({ lpr_camera_id: z.number().int(), status: z.enum(PRESENCE_STATES) });
export type CameraReport = z.infer<typeof cameraReportSchema>;

/**
 * Topic `up/report`: telemetry, the latest only, never queued, QoS 0. A report of products has no cameras, a report of cameras no
 * products: each is told in full or not at all.
 */
export const gatewayReportSchema = z.object({
  products: z.array(productReportSchema),
  cameras: z.array(cameraReportSchema).optional(),
});
export type GatewayReport = z.infer<typeof gatewayReportSchema>;

/** Topic `down/welcome`, the answer to hello: the cursors the cloud holds for the gateway's epoch (0 when it knows none). */
export const welcomeSchema = z.object({
  epoch: epochSchema,
  cursors: z.array(z.object({ lane: laneSchema, seq: seqSchema })),
  /** Cloud time, wall milliseconds. */
  cloud_ms: epochMs,
});
export type Welcome = z.infer<typeof welcomeSchema>;

/**
 * Topic `down/ack`: all records of the lane up to seq are committed. `gap`: the batch did not follow; go back to seq + 1.
 * `diverged`: the cloud knows seqs of the batch under other uids. One of the two was restored or cloned: begin a new epoch.
 */
export const ackSchema = z.object({
  epoch: epochSchema,
  lane: laneSchema,
  seq: seqSchema,
  gap: z.boolean(),
  diverged: z.boolean(),
});
export type Ack = z.infer<typeof ackSchema>;

const credentialText = z.object({ token: z.string(), status_key: z.string(), challenge_key: z.string() });

/** What a person may ask of a product (specification, "Weblinks"; the same words for the state call). */
export const PRODUCT_OPERATIONS = [
  'open',
  'force_close',
  'close',
  'stay_open',
  'stay_close',
  'clear_stay_open',
  'clear_stay_close',
] as const;
export type ProductOperation = (typeof PRODUCT_OPERATIONS)[number];

/** What a command does; parameters as in the product protocol. */
export const productCommandSchema = z.discriminatedUnion('name', [
  z.object({ name: z.enum(PRODUCT_OPERATIONS) }),
  z.object({ name: z.literal('autoclose'), on: z.boolean(), seconds: z.number().int().min(1).max(255) }),
]);
export type ProductCommandPayload = z.infer<typeof productCommandSchema>;

/**
 * Topic `down/command`. Never queued for an absent gateway. The credential is minted for this command (slot 0) and ends with its
 * deadline; `set_time` is there for a product that lost its clock.
 */
export const commandMessageSchema = z.object({
  event_id: eventIdSchema,
  product_id: z.number().int(),
  device_id: productDeviceIdSchema,
  command: productCommandSchema,
  credential: credentialText,
  set_time_credential: credentialText,
  /** Cloud time, wall milliseconds: no REQUEST leaves after it. The gateway compares by the offset measured on its connection. */
  deadline_ms: epochMs,
});
export type CommandMessage = z.infer<typeof commandMessageSchema>;

/**
 * Topic `down/pairing`. Never queued for an absent gateway, which only relays: it connects and sends the product's offer
 * up (`pairing_offer`), is given the answer to it, and tells the confirmation in its `command_result`.
 */
export const pairingMessageSchema = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('begin'),
    event_id: eventIdSchema,
    product_id: z.number().int(),
    device_id: productDeviceIdSchema,
    /** Cloud time, wall milliseconds: nothing is given to the product after it. */
    deadline_ms: epochMs,
  }),
  z.object({
    step: z.literal('answer'),
    event_id: eventIdSchema,
    /** base64url */
    answer: z.string().max(256),
  }),
]);
export type PairingMessage = z.infer<typeof pairingMessageSchema>;
