/** Why as many vehicles are inside as are, where another number of places is taken. */
import type { ConsoleWords } from './en.js';

export interface CountedZone {
  occupied_count: number;
  /** null: no place of the zone has a sensor. */
  counts: { sensors: number | null };
}

/**
 * The sentence that says what the two numbers count; null: they are the same, and nobody asks.
 * @param zones of a lot. @param inside its stays that have not ended
 */
export function whyApart(zones: readonly CountedZone[], inside: number, { overview }: ConsoleWords): string | null {
  const occupied = zones.reduce((sum, { occupied_count }) => sum + occupied_count, 0);
  if (occupied === inside) return null;
  return zones.some(({ counts }) => counts.sensors !== null) ? overview.whySensors : overview.whyStays;
}
