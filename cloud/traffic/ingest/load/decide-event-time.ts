/** Decides when an event happened. The order of records is by seq, never by time; the time is for people. */
import { DAY_MS, HOUR_MS } from '../../../../shared/durations.js';
import { type DeviceTime, decideDeviceTime, type TimeSource } from '../../../../shared/decide-device-time.js';

/** The time that a record states, with the boot in which it was made. */
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
  /** Whose time it is, as the gateway judged by what it knows of the device. Left out: the gateway did not judge it. */
  time_source?: TimeSource | undefined;
  /** Records of earlier events are not applied. Left out: all are. */
  oldest_ms?: number;
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
    const late_ms = at_ms < (facts.oldest_ms ?? 0) ? behindMs(facts) : 0;
    if (late_ms > 0) return { at_ms: Math.min(at_ms + late_ms, facts.cloud_ms), estimated: true };
    return { at_ms, estimated: time_source === 'arrival' };
  }
  const latest = facts.present_boot_began_ms ?? facts.cloud_ms;
  const placed = facts.boot_began_ms === null ? latest : facts.boot_began_ms + facts.mono_ms;
  return { at_ms: Math.max(0, Math.round(Math.min(placed, facts.cloud_ms))), estimated: true };
}

/**
 * How far the gateway's wall clock was behind when it made the record, by the monotonic clock of its boot; 0: it was not, or that is not
 * known. A gateway whose clock stood still while it was off, and that has no network at its start, believes its clock. Its live records must
 * not count as old ones.
 */
function behindMs({ event_ms, made_ms = event_ms, mono_ms, boot_began_ms }: EventTimeFacts): number {
  const behind_ms = boot_began_ms === null ? 0 : Math.round(boot_began_ms + mono_ms - made_ms);
  return behind_ms > AHEAD_MAX_MS ? behind_ms : 0;
}

/** How much older than its lot's autonomy a record may be: the gateway may have found its network again days before its cloud. */
const LATE_DAYS_MAX = 7;

/**
 * How far before its gateway's claim an event may lie. Until a camera's clock is known, its reads have the times that it writes, and these may
 * be wrong by a day: the first test read of whoever installs it has to be seen.
 */
const BEFORE_CLAIM_MAX_MS = 26 * HOUR_MS;

/** The bounds of a record's age. */
export interface AgeBounds {
  /** For how many days gateways of the record's lot may act alone. */
  autonomy_days: number;
  /** When the gateway was claimed; null: it is not known. */
  claimed_ms: number | null;
  cloud_ms: number;
}

const earliestMs = ({ autonomy_days, cloud_ms }: AgeBounds): number =>
  cloud_ms - (autonomy_days + LATE_DAYS_MAX) * DAY_MS;
const claimMs = ({ claimed_ms }: AgeBounds): number => (claimed_ms === null ? 0 : claimed_ms - BEFORE_CLAIM_MAX_MS);

/** The earliest event whose record is applied. */
export const oldestAppliedMs = (bounds: AgeBounds): number => Math.max(earliestMs(bounds), claimMs(bounds));

/** Says why a record of this time is kept aside; null: it is applied (Uplink contract, "Records"). */
export function whyTooOld({ at_ms }: EventTime, bounds: AgeBounds): string | null {
  if (at_ms >= oldestAppliedMs(bounds)) return null;
  const at = new Date(at_ms).toISOString();
  if (at_ms >= earliestMs(bounds)) return `of ${at}, more than 26 hours before the gateway was claimed`;
  return `of ${at}, older than the ${bounds.autonomy_days} days of autonomy and ${LATE_DAYS_MAX}`;
}

/** Judges a time that the gateway has not judged by when the gateway heard of the event. When it heard the device before is not known. */
function judgedTime({ event_ms, made_ms = event_ms, time_source }: EventTimeFacts): DeviceTime {
  if (time_source !== undefined) return { at_ms: event_ms, time_source: 'device' };
  return decideDeviceTime({ device_ms: event_ms, arrived_ms: made_ms, contact_ms: null, lead_ms: AHEAD_MAX_MS });
}
