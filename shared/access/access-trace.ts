/**
 * What a decision saw: its facts, and the rule that decided. It is stored with each reading, so that the decision can be explained, and
 * asked again with other facts, long after the gateway has forgotten them. A few hundred bytes, all of it bounded.
 */
import { z } from 'zod';
import { CAMERA_DIRECTIONS, READ_DIRECTIONS } from '../events/event-schemas.js';
import { countSchema, durationMs, offsetMs, textSchema } from '../uplink-bounds.js';
import { ACCESS_RULES } from './access-rules.js';

/** How long before the read a session began; below 0: it began after a read that came late. */
const sessionAge = offsetMs;

export const accessTraceSchema = z.object({
  /** The rule that decided. */
  rule: z.enum(ACCESS_RULES),
  /** The plate that was looked for, normalised. */
  plate: textSchema(64),
  direction: z.enum(READ_DIRECTIONS),
  retransmission: z.boolean(),
  /** How old the read was when it arrived; null: nobody knows. */
  age_ms: durationMs.nullable(),
  lpr_position: z.enum(CAMERA_DIRECTIONS),
  debounce_ms: durationMs,
  previous_read: z.object({ elapsed_ms: durationMs, opening_failed: z.boolean() }).nullable(),
  whitelisted: z.boolean(),
  has_tariff: z.boolean(),
  /** 0: unlimited. */
  spot_count: countSchema,
  /** 0 where nothing depended on it: at exits, and in zones without a limit. */
  occupied_count: countSchema,
  own_session_age_ms: sessionAge.nullable(),
  look_alike_session_age_ms: sessionAge.nullable(),
  ended_by_look_alike: z.boolean(),
  cut_off: z.boolean(),
  offline_exit: z.enum(['open', 'deny']),
});
export type AccessTrace = z.infer<typeof accessTraceSchema>;
