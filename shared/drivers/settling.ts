/** When a changed state of a place takes effect: keys that a parking gateway's `register` or `mapping` may have with any driver. */
import { z } from 'zod';

export interface Settling {
  /** How long the sensor has to report the new state before it takes effect. */
  debounce_ms: number;
  /** The minimum time between two effective changes, for a sensor that flutters. */
  dwell_ms: number;
}

/** A first change takes effect at once, so that signs and realtime events follow within a poll. */
const DEFAULTS: Settling = { debounce_ms: 0, dwell_ms: 10_000 };

export const settlingShape = {
  debounce_ms: z.number().int().min(0).max(60_000).optional(),
  dwell_ms: z.number().int().min(0).max(600_000).optional(),
};

const settlingSchema = z.object(settlingShape);

/** @param parkingGateway its settings; missing ones have their defaults */
export function settlingOf({ register, mapping }: { register?: unknown; mapping?: unknown }): Settling {
  const { data } = settlingSchema.safeParse(register ?? mapping ?? {});
  return { debounce_ms: data?.debounce_ms ?? DEFAULTS.debounce_ms, dwell_ms: data?.dwell_ms ?? DEFAULTS.dwell_ms };
}
