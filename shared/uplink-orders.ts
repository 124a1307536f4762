/** The orders that the cloud sends to a gateway over MQTT: commands, pairings, admin records, and to look at itself. */
import { z } from 'zod';
import { eventIdSchema, productDeviceIdSchema } from './ids.js';

const epochMs = z.number().int().nonnegative();

const credentialText = z.object({ token: z.string(), status_key: z.string(), challenge_key: z.string() });

/** The operations that people may request of a product (specification, "Weblinks"; the state call uses the same words). */
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

/** The action of a command. Its parameters are those of the product protocol. */
export const productCommandSchema = z.discriminatedUnion('name', [
  z.object({ name: z.enum(PRODUCT_OPERATIONS) }),
  z.object({ name: z.literal('autoclose'), on: z.boolean(), seconds: z.number().int().min(1).max(255) }),
]);
export type ProductCommandPayload = z.infer<typeof productCommandSchema>;

/**
 * Topic `down/command`. Never queued for a gateway that is not connected. The credential is minted for this command (slot 0) and expires at
 * its deadline. `set_time_credential` is for a product that has lost its clock.
 */
export const commandMessageSchema = z.object({
  event_id: eventIdSchema,
  product_id: z.number().int(),
  device_id: productDeviceIdSchema,
  command: productCommandSchema,
  credential: credentialText,
  set_time_credential: credentialText,
  /**
   * Cloud time, wall milliseconds. The gateway sends no REQUEST after it. It converts the deadline by the clock offset measured on its
   * connection.
   */
  deadline_ms: epochMs,
  /** Whether the cloud can ask another gateway. If so, a gateway whose adapter is busy declines at once. */
  has_others: z.boolean().optional(),
});
export type CommandMessage = z.infer<typeof commandMessageSchema>;

/**
 * Topic `down/pairing`. Never queued for a gateway that is not connected. The gateway only relays: it connects to the product, sends the
 * product's offer to the cloud (`pairing_offer`), passes the cloud's answer to the product, and reports the product's confirmation in its
 * `command_result`.
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
 * Topic `down/admin`. Never queued for a gateway that is not connected. Carries an admin record of the product protocol, which the gateway
 * delivers and cannot read. The cloud answers a report with `wrong_clock` by a `clock` record.
 */
export const adminMessageSchema = z.object({
  device_id: productDeviceIdSchema,
  /** base64url */
  record: z.string().max(64),
  /** Cloud time, wall milliseconds: nothing is sent to the product after it. */
  deadline_ms: epochMs,
});
export type AdminMessage = z.infer<typeof adminMessageSchema>;

/** Topic `down/doctor`. Never queued for a gateway that is not connected. It looks at itself, and reports what it found (`doctor`). */
export const doctorMessageSchema = z.object({});
