/** In which order readings stand, and which of them came late. */

/** What arrives later than this after the vehicle stood there is marked: until then a slow link and a better picture are ordinary. */
const LATE_MS = 2 * 60_000;

export interface TimedReading {
  /** Given in the order in which readings arrive. */
  id: number;
  /** When the camera read the plate. */
  created_at: string;
  updated_at: string;
  corrected_at: string | null;
  access_decision: string | null;
}

/**
 * By when the vehicles stood before their cameras, the newest first: what a gateway kept while it was cut off stands where it belongs.
 * The service writes all times alike, so that their texts are compared.
 */
export function newestFirst(a: Pick<TimedReading, 'id' | 'created_at'>, b: typeof a): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return b.id - a.id;
}

/**
 * The ids of readings that came late. Their last change was long after the vehicle stood there, and was their arrival: nothing else changes
 * such a reading later, or a reading of a much later time had arrived before. A person corrects readings, and deals with refused ones.
 */
export function lateOf(readings: readonly TimedReading[]): Set<number> {
  const late = new Set<number>();
  let latest = Number.NEGATIVE_INFINITY;
  for (const reading of readings.toSorted((a, b) => a.id - b.id)) {
    const { id, created_at, updated_at, corrected_at, access_decision } = reading;
    const at = Date.parse(created_at);
    const isChangedByArrival = (corrected_at === null && access_decision !== 'denied') || latest - at > LATE_MS;
    if (isChangedByArrival && Date.parse(updated_at) - at > LATE_MS) late.add(id);
    latest = Math.max(latest, at);
  }
  return late;
}
