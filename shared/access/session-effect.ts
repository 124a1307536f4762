import { z } from 'zod';
import { uidSchema } from '../ids.js';

/** The effect of a decision on the parking sessions of the lot. */
export const sessionEffectSchema = z.discriminatedUnion('effect', [
  z.object({
    effect: z.literal('begin'),
    session_uid: uidSchema,
    /** The earlier session of the plate that this entry ends, because its exit was missed. */
    ended_session_uid: uidSchema.nullable(),
  }),
  z.object({ effect: z.literal('keep'), session_uid: uidSchema }),
  z.object({ effect: z.literal('end'), session_uid: uidSchema, look_alike: z.boolean() }),
]);
export type SessionEffect = z.infer<typeof sessionEffectSchema>;
