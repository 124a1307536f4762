/**
 * Judges the times that cameras, sensors, network servers and gateways report. A device whose clock was reset to 1970, or counts the seconds
 * since power-on, must never start a parking session or an occupancy years ago. Pure.
 */
import { DAY_MS } from './durations.js';

/** No program of this system was built before, so an earlier present time is a clock that was lost: a Pi without a battery starts in 1970. */
export const BUILT_MS = Date.UTC(2026, 0, 1);

/**
 * `device`: the device's clock, corrected where its offset is known. `arrival`: the time of arrival, because the device reported no time or
 * an implausible one.
 */
export const TIME_SOURCES = ['device', 'arrival'] as const;
export type TimeSource = (typeof TIME_SOURCES)[number];

export interface DeviceTime {
  /** Wall milliseconds, not negative. It may be later than the arrival by up to the allowed lead. */
  at_ms: number;
  time_source: TimeSource;
}

/** By how much a device's clock may be ahead. */
const LEAD_MS = 60_000;

/**
 * Accepts a device's time if it lies between the earlier of its last contact and a day before the arrival, and the arrival plus a small lead.
 * @param told.device_ms the time by the device's clock; null: it reported none
 * @param told.behind_ms how far that clock is known to be behind; left out: it is not known to be wrong
 * @param told.contact_ms when the device was last heard before this message; null: not known
 * @param told.lead_ms left out: a minute
 */
export function decideDeviceTime(stated: {
  device_ms: number | null;
  arrived_ms: number;
  contact_ms: number | null;
  behind_ms?: number;
  lead_ms?: number;
}): DeviceTime {
  const { device_ms, arrived_ms, contact_ms, behind_ms = 0, lead_ms = LEAD_MS } = stated;
  const at_ms = device_ms === null ? Number.NaN : device_ms + behind_ms;
  const earliest_ms = Math.min(contact_ms ?? arrived_ms, arrived_ms - DAY_MS);
  // NaN fails both comparisons.
  if (at_ms >= earliest_ms && at_ms <= arrived_ms + lead_ms)
    return { at_ms: Math.max(0, at_ms), time_source: 'device' };
  return { at_ms: Math.max(0, arrived_ms), time_source: 'arrival' };
}

/** When a device was last heard, in monotonic milliseconds. */
export interface Contact {
  last_mono_ms: number;
  /**
   * The last long silence. `from_mono_ms` is null when it began before the agent started. `silence` is null when it ended more than a day
   * ago.
   */
  silence: { from_mono_ms: number | null; until_mono_ms: number } | null;
}

/** After a silence of this length, a device may deliver messages that it could not send before. */
const SILENCE_MS = 3_600_000;

/** Records that a device was heard. @param before null: it is the first time since the agent started */
export function noteContact(before: Contact | null, mono_ms: number): Contact {
  if (before === null) return { last_mono_ms: mono_ms, silence: { from_mono_ms: null, until_mono_ms: mono_ms } };
  // Delayed messages arrive one after the other. While they arrive, the last contact is the one before the silence.
  const silence = lastingSilence(before, mono_ms);
  if (silence !== null || mono_ms - before.last_mono_ms < SILENCE_MS) return { last_mono_ms: mono_ms, silence };
  return { last_mono_ms: mono_ms, silence: { from_mono_ms: before.last_mono_ms, until_mono_ms: mono_ms } };
}

const lastingSilence = ({ silence }: Contact, mono_ms: number): Contact['silence'] =>
  silence !== null && mono_ms - silence.until_mono_ms < DAY_MS ? silence : null;

/**
 * Returns when a device was last heard before it began to deliver delayed messages, in wall milliseconds; null: not known.
 * @param contact null: the device was not heard since the agent started
 * @param now.running_ms the last time before its start at which this gateway is known to have run; 0: not known
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
