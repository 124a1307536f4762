/** When an event happened, by the cloud's reckoning. Order is by seq, never by time; this is for what people read. */

/** What a record says of its time, and what the cloud knows of the boot it was made in. */
export interface EventTimeFacts {
  /** By the gateway's wall clock. */
  event_ms: number;
  clock_ok: boolean;
  /** When the record was made, on the monotonic clock of its boot. */
  mono_ms: number;
  /** Cloud time of the moment at which that monotonic clock showed zero; null: never measured. */
  boot_began_ms: number | null;
  /** The same of the boot the gateway is in now: an earlier boot's events are no later. */
  present_boot_began_ms: number | null;
  cloud_ms: number;
}

export interface EventTime {
  at_ms: number;
  estimated: boolean;
}

/** A gateway's clock may run ahead by this much before it is not believed. */
const AHEAD_MAX_MS = 5 * 60_000;

export function decideEventTime(facts: EventTimeFacts): EventTime {
  if (facts.clock_ok) {
    if (facts.event_ms <= facts.cloud_ms + AHEAD_MAX_MS) return { at_ms: facts.event_ms, estimated: false };
    return { at_ms: facts.cloud_ms, estimated: true };
  }
  const latest = facts.present_boot_began_ms ?? facts.cloud_ms;
  const placed = facts.boot_began_ms === null ? latest : facts.boot_began_ms + facts.mono_ms;
  return { at_ms: Math.max(0, Math.round(Math.min(placed, facts.cloud_ms))), estimated: true };
}
