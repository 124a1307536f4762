/**
 * The trace of a decision: its facts and the rule that decided. It is stored with each reading. With it the decision can be explained, or
 * repeated with other facts, long after the gateway has forgotten them. Its size is bounded to a few hundred bytes.
 */
import { z } from 'zod';
import { CAMERA_DIRECTIONS, READ_DIRECTIONS } from '../events/event-schemas.js';
import { countSchema, durationMs, offsetMs, textSchema } from '../uplink-bounds.js';
import { ACCESS_RULES } from './access-rules.js';

/** How long before the read a session began; negative when the read arrived late and the session had begun after it. */
const sessionAge = offsetMs;

export const accessTraceSchema = z.object({
  /** The rule that decided. */
  rule: z.enum(ACCESS_RULES),
  /** The plate that the decision is about, normalised. */
  plate: textSchema(64),
  direction: z.enum(READ_DIRECTIONS),
  retransmission: z.boolean(),
  /** The age of the read when it arrived; null: not known. */
  age_ms: durationMs.nullable(),
  lpr_position: z.enum(CAMERA_DIRECTIONS),
  debounce_ms: durationMs,
  previous_read: z
    .object({
      elapsed_ms: durationMs,
      opening_failed: z.boolean(),
      admitted: z.boolean().optional(),
      other_direction: z.boolean().optional(),
      other_plate: z.boolean().optional(),
    })
    .nullable(),
  whitelisted: z.boolean(),
  has_tariff: z.boolean(),
  /** 0: unlimited. */
  spot_count: countSchema,
  /** 0 where the decision does not depend on it: at exits, and in zones without a limit. */
  occupied_count: countSchema,
  own_session_age_ms: sessionAge.nullable(),
  look_alike_session_age_ms: sessionAge.nullable(),
  ended_by_look_alike: z.boolean(),
  let_out: z.boolean().optional(),
  cut_off: z.boolean(),
  offline_exit: z.enum(['open', 'deny']),
});
export type AccessTrace = z.infer<typeof accessTraceSchema>;
