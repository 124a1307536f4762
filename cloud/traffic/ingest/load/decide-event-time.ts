/** Decides when an event happened. The order of records is by seq, never by time; the time is for people. */
import { type DeviceTime, decideDeviceTime, type TimeSource } from '../../../../shared/decide-device-time.js';

/** What a record says of its time, and what the cloud knows of the boot in which it was made. */
export interface EventTimeFacts {
  /** The time by the gateway's wall clock. */
  event_ms: number;
  clock_ok: boolean;
  /** When the record was made, on the monotonic clock of its boot. */
  mono_ms: number;
  /** The cloud time at which that monotonic clock showed zero; null: never measured. */
  boot_began_ms: number | null;
  /** The same of the gateway's present boot: events of an earlier boot are no later than this. */
  present_boot_began_ms: number | null;
  cloud_ms: number;
  /** When the record was made, by the gateway's wall clock. Left out: that is the time of the event. */
  made_ms?: number;
  /** Whose time it is, as the gateway judged by what it knows of the device. Left out: an older gateway, which believed every device. */
  time_source?: TimeSource | undefined;
}

export interface EventTime {
  at_ms: number;
  estimated: boolean;
}

/** Converts a time of the gateway's wall clock. */
export type PlaceTime = (event_ms: number, time_source?: TimeSource) => EventTime;

/** A gateway's clock that is ahead by more than this is not trusted. */
const AHEAD_MAX_MS = 5 * 60_000;

export function decideEventTime(facts: EventTimeFacts): EventTime {
  if (facts.clock_ok) {
    const { at_ms, time_source } = judgedTime(facts);
    if (at_ms > facts.cloud_ms + AHEAD_MAX_MS) return { at_ms: facts.cloud_ms, estimated: true };
    return { at_ms, estimated: time_source === 'arrival' };
  }
  const latest = facts.present_boot_began_ms ?? facts.cloud_ms;
  const placed = facts.boot_began_ms === null ? latest : facts.boot_began_ms + facts.mono_ms;
  return { at_ms: Math.max(0, Math.round(Math.min(placed, facts.cloud_ms))), estimated: true };
}

/** Judges a time that the gateway has not judged by when the gateway heard of the event. When it heard the device before is not known. */
function judgedTime({ event_ms, made_ms = event_ms, time_source }: EventTimeFacts): DeviceTime {
  if (time_source !== undefined) return { at_ms: event_ms, time_source: 'device' };
  return decideDeviceTime({ device_ms: event_ms, arrived_ms: made_ms, contact_ms: null, lead_ms: AHEAD_MAX_MS });
}
