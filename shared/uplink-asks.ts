/**
 * The asks of the cloud to a connected gateway, and its answers: the same that `parking-agent` shows a person on site. An answer is no record:
 * one that is lost is asked for again.
 */
import { z } from 'zod';
import { CAMERA_DRIVER_NAMES } from './drivers/camera-driver-list.js';
import { PRODUCT_TYPES, productDeviceIdSchema } from './ids.js';
import { durationMs, epochMs, idSchema, rssiSchema, textSchema } from './uplink-bounds.js';

/** How many cameras or products an answer to a search names at most. */
export const FOUND_MAX = 64;
/** How many places an answer of sensors names at most. */
export const ASKED_PLACES_MAX = 1_000;
/** How many changes, and how many steps, an answer of a setup has at most. */
export const SETUP_STEPS_MAX = 50;
export const ASK_TEXT_MAX = 500;
const SHORT_TEXT_MAX = 100;
/** How many addresses of its own a gateway names at most. */
export const HOSTS_MAX = 8;
export const TEST_TEXT_MAX = 200;

export const SETUP_MODES = ['plan', 'apply', 'undo'] as const;
/** A host name or an address. */
export const HOST = /^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/;

/** Which ask it is: `subject_id` is the id of the thing that is asked about, 0 for the gateway itself. */
const ASK = { subject_id: idSchema, asked_ms: epochMs };

/** Topic `down/ask`. Never queued for a gateway that is not connected. The report that follows has the answer, with the same `subject_id` and `asked_ms`. */
export const askMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cameras'), ...ASK }),
  z.object({ kind: z.literal('products'), ...ASK }),
  z.object({
    kind: z.literal('setup'),
    ...ASK,
    mode: z.enum(SETUP_MODES),
    time_server: z.string().regex(HOST).optional(),
  }),
  z.object({ kind: z.literal('probe'), ...ASK }),
  z.object({ kind: z.literal('display_test'), ...ASK, text: z.string().max(TEST_TEXT_MAX) }),
  z.object({ kind: z.literal('sensors'), ...ASK }),
]);
export type AskMessage = z.infer<typeof askMessageSchema>;
export type AskKind = AskMessage['kind'];

const texts = z.array(textSchema(ASK_TEXT_MAX)).max(SETUP_STEPS_MAX);
const shortText = textSchema(SHORT_TEXT_MAX);

/** The answers, by the kind of ask. */
export const ASK_ANSWERS = {
  cameras: z.object({
    cameras: z
      .array(
        z.object({
          /** Such as http://192.168.1.21 */
          address: textSchema(ASK_TEXT_MAX),
          vendor: shortText,
          model: shortText,
          serial: shortText,
          mac: shortText,
          /** The driver for cameras of this vendor; null: none is known. */
          driver: z.enum(CAMERA_DRIVER_NAMES).nullable().catch(null),
          /** Facts that a person should know before they adopt the camera; empty: none. */
          notes: textSchema(ASK_TEXT_MAX),
        }),
      )
      .max(FOUND_MAX),
  }),
  products: z.object({
    radio: z.enum(['off', 'unavailable', 'on']),
    /** Everything that advertises as a product, proven or not; the strongest first. */
    products: z
      .array(z.object({ device_id: productDeviceIdSchema, type: z.enum(PRODUCT_TYPES), rssi: rssiSchema }))
      .max(FOUND_MAX),
  }),
  setup: z.object({
    mode: z.enum(SETUP_MODES),
    /** The changes that would be made, or were. Neither these nor the steps show a key or a password. */
    changes: texts,
    by_hand: texts,
    is_done: z.boolean(),
  }),
  probe: z.object({
    /** null: cameras of its driver cannot be asked; their reads show that they are there. */
    is_there: z.boolean().nullable(),
    problem: textSchema(ASK_TEXT_MAX).nullable(),
    /** Where the camera reaches this gateway, as host and port; the likeliest first. */
    hosts: z.array(shortText).max(HOSTS_MAX),
  }),
  display_test: z.object({ text: textSchema(TEST_TEXT_MAX) }),
  sensors: z.object({
    is_heard: z.boolean(),
    fault: textSchema(ASK_TEXT_MAX).nullable(),
    places: z
      .array(
        z.object({
          parking_place_id: idSchema,
          /** null: not known yet. */
          state: z.enum(['free', 'occupied']).nullable(),
          /** The last message of its sensor as it was heard; null: none since the agent started. */
          raw: shortText.nullable(),
          heard_ago_ms: durationMs.nullable(),
          answers: z.boolean(),
        }),
      )
      .max(ASKED_PLACES_MAX),
  }),
} as const satisfies Record<AskKind, z.ZodType>;
export type AskAnswers = { [Kind in AskKind]: z.infer<(typeof ASK_ANSWERS)[Kind]> };

const answerOf = <Kind extends AskKind>(kind: Kind) =>
  z.object({
    kind: z.literal(kind),
    ...ASK,
    /** Why there is no answer, for people; null: there is one. */
    fault: textSchema(ASK_TEXT_MAX).nullable(),
    answer: ASK_ANSWERS[kind].nullable(),
  });

/** An answer in a report. Either `fault` or `answer` is null. */
export const askAnswerSchema = z.discriminatedUnion('kind', [
  answerOf('cameras'),
  answerOf('products'),
  answerOf('setup'),
  answerOf('probe'),
  answerOf('display_test'),
  answerOf('sensors'),
]);
export type AskAnswer = z.infer<typeof askAnswerSchema>;
