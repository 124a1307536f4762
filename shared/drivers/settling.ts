/** When a changed state of a place counts: keys that a parking gateway's `register` or `mapping` may hold with any driver. */
import { z } from 'zod';

export interface Settling {
  /** How long the sensor has to say the same before it counts. */
  debounce_ms: number;
  /** How often a sensor that flutters changes what counts: once in this time. */
  dwell_ms: number;
}

/** A change counts at once: signs and realtime events follow within the poll. */
const DEFAULTS: Settling = { debounce_ms: 0, dwell_ms: 10_000 };

export const settlingShape = {
  debounce_ms: z.number().int().min(0).max(60_000).optional(),
  dwell_ms: z.number().int().min(0).max(600_000).optional(),
};

const settlingSchema = z.object(settlingShape);

/** @param parkingGateway its settings; what is not given has its default */
export function settlingOf({ register, mapping }: { register?: unknown; mapping?: unknown }): Settling {
  const { data } = settlingSchema.safeParse(register ?? mapping ?? {});
  return { debounce_ms: data?.debounce_ms ?? DEFAULTS.debounce_ms, dwell_ms: data?.dwell_ms ?? DEFAULTS.dwell_ms };
}
