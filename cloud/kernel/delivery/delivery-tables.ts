import type { Generated } from 'kysely';
import type { Database } from '../store/schema.js';

/** The columns of every table of deliveries. Each kind has a table of its own, because it is scoped, ordered and indexed by its receivers. */
export interface DeliveryColumns {
  id: Generated<number>;
  /** Attempts so far. */
  attempts: number;
  /** Why the last attempt failed, in words for people; null: none failed, or it was accepted. */
  last_error: string | null;
  /** When the present attempts began; null: there was none since it was queued. */
  tries_began_at: number | null;
  next_attempt_at: number;
  /** During an attempt: the time at which it counts as lost with its process. */
  lease_ends_at: number | null;
  /** null: it is still tried. */
  ended_at: number | null;
  created_at: number;
}

export type DeliveryTable = {
  [Table in keyof Database]: Database[Table] extends DeliveryColumns ? Table : never;
}[keyof Database];
