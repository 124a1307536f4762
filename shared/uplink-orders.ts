/** The orders that a gateway gets from its cloud over MQTT: commands, pairings and admin records. */
import { z } from 'zod';
import { eventIdSchema, productDeviceIdSchema } from './ids.js';

const epochMs = z.number().int().nonnegative();

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

/** What a command does; its parameters are those of the product protocol. */
export const productCommandSchema = z.discriminatedUnion('name', [
  z.object({ name: z.enum(PRODUCT_OPERATIONS) }),
  z.object({ name: z.literal('autoclose'), on: z.boolean(), seconds: z.number().int().min(1).max(255) }),
]);
export type ProductCommandPayload = z.infer<typeof productCommandSchema>;

/**
 * Topic `down/command`. Never queued for an absent gateway. The credential is minted for this command (slot 0) and ends with its
 * deadline; `set_time_credential` is for a product that lost its clock.
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
  /** Another gateway can be asked: one whose adapter is busy hands over at once. */
  has_others: z.boolean().optional(),
});
export type CommandMessage = z.infer<typeof commandMessageSchema>;

/**
 * Topic `down/pairing`. Never queued for an absent gateway. The gateway only relays: it connects, sends the product's offer up
 * (`pairing_offer`), gets the answer to it, and sends the confirmation up in its `command_result`.
 */
export const pairingMessageSchema = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('begin'),
    event_id: eventIdSchema,
    product_id: z.number().int(),
    device_id: productDeviceIdSchema,
    /** Cloud time, wall milliseconds: nothing is sent to the product after it. */
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

/**
 * Topic `down/admin`. Never queued for an absent gateway. An admin record of the product protocol, which the gateway delivers and cannot
 * read; its answer to a report with `wrong_clock` is a `clock` record.
 */
export const adminMessageSchema = z.object({
  device_id: productDeviceIdSchema,
  /** base64url */
  record: z.string().max(64),
  /** Cloud time, wall milliseconds: nothing is sent to the product after it. */
  deadline_ms: epochMs,
});
export type AdminMessage = z.infer<typeof adminMessageSchema>;
