/**
 * Judges the times that devices tell: cameras, sensors, network servers, gateways. A clock that fell to 1970, or counts the seconds since power
 * came, must never begin a stay or an occupancy years ago. Pure.
 */
import { DAY_MS } from './durations.js';

/** `device`: the device's clock, put right where its offset is known. `arrival`: what it told could not be, or it told none. */
export const TIME_SOURCES = ['device', 'arrival'] as const;
export type TimeSource = (typeof TIME_SOURCES)[number];

export interface DeviceTime {
  /** Wall milliseconds, not negative. It may lie after the arrival by the lead. */
  at_ms: number;
  time_source: TimeSource;
}

/** A device's clock may be ahead by so much. */
const LEAD_MS = 60_000;

/**
 * Believes a device whose time lies between the earlier of its last contact and a day before arrival, and the arrival plus a small lead.
 * @param told.device_ms the time by the device's clock; null: it told none
 * @param told.behind_ms how far that clock is known to be behind; left out: it is not known to be wrong
 * @param told.contact_ms when the device was heard last before this; null: nobody knows
 * @param told.lead_ms left out: a minute
 */
export function decideDeviceTime(told: {
  device_ms: number | null;
  arrived_ms: number;
  contact_ms: number | null;
  behind_ms?: number;
  lead_ms?: number;
}): DeviceTime {
  const { device_ms, arrived_ms, contact_ms, behind_ms = 0, lead_ms = LEAD_MS } = told;
  const at_ms = device_ms === null ? Number.NaN : device_ms + behind_ms;
  const earliest_ms = Math.min(contact_ms ?? arrived_ms, arrived_ms - DAY_MS);
  // What is no number is not within the bounds either.
  if (at_ms >= earliest_ms && at_ms <= arrived_ms + lead_ms)
    return { at_ms: Math.max(0, at_ms), time_source: 'device' };
  return { at_ms: Math.max(0, arrived_ms), time_source: 'arrival' };
}

/** When a device was heard, in monotonic milliseconds. */
export interface Contact {
  last_mono_ms: number;
  /** The last long silence; `from_mono_ms` null: since before the agent started. null: it ended more than a day ago. */
  silence: { from_mono_ms: number | null; until_mono_ms: number } | null;
}

/** After a silence like this a device may have kept what it could not send. */
const SILENCE_MS = 3_600_000;

/** Notes that a device was heard. @param before null: for the first time since the agent started */
export function noteContact(before: Contact | null, mono_ms: number): Contact {
  if (before === null) return { last_mono_ms: mono_ms, silence: { from_mono_ms: null, until_mono_ms: mono_ms } };
  // What was kept comes in many messages: while they come, the last contact is the one before the silence.
  const silence = lastingSilence(before, mono_ms);
  if (silence !== null || mono_ms - before.last_mono_ms < SILENCE_MS) return { last_mono_ms: mono_ms, silence };
  return { last_mono_ms: mono_ms, silence: { from_mono_ms: before.last_mono_ms, until_mono_ms: mono_ms } };
}

const lastingSilence = ({ silence }: Contact, mono_ms: number): Contact['silence'] =>
  silence !== null && mono_ms - silence.until_mono_ms < DAY_MS ? silence : null;

/**
 * When a device was last heard before it began to send what it kept, in wall milliseconds; null: nobody knows.
 * @param contact null: not since the agent started
 * @param now.running_ms when this gateway is known to have run last before it started; 0: nobody knows
 */
export function lastContactMs(
  contact: Contact | null,
  now: { wall_ms: number; mono_ms: number; running_ms: number },
): number | null {
  const { wall_ms, mono_ms, running_ms } = now;
  const silence = contact === null ? null : lastingSilence(contact, mono_ms);
  const last_mono_ms = silence === null ? (contact?.last_mono_ms ?? null) : silence.from_mono_ms;
  if (last_mono_ms !== null) return wall_ms - (mono_ms - last_mono_ms);
  return running_ms > 0 ? running_ms : null;
}
