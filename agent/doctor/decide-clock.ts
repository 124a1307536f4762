/** Judges the clock of the device and what it follows. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';
import { timeText } from '../../shared/doctor/time-text.js';
import { isClockOff } from '../../shared/troubles/rules.js';

export interface ClockFacts {
  /** Wall milliseconds. */
  now_ms: number;
  /** Whether the time can be true: it is not before the latest one that was known. */
  is_possible: boolean;
  /** Wall clock minus the cloud's; null: not known. */
  off_ms: number | null;
  /** Whether it follows a time server; null: the system does not say. */
  is_synchronised: boolean | null;
  has_battery: boolean;
}

export function decideClock({ now_ms, is_possible, off_ms, is_synchronised, has_battery }: ClockFacts): Finding[] {
  const sync = [
    is_synchronised === null
      ? found('clock.sync_unknown', null, {})
      : found(is_synchronised ? 'clock.synchronised' : 'clock.unsynchronised', null, {}),
    found(has_battery ? 'clock.battery' : 'clock.no_battery', null, {}),
  ];
  return [...decideTime({ now_ms, is_possible, off_ms, is_synchronised }), ...sync];
}

function decideTime(facts: Omit<ClockFacts, 'has_battery'>): Finding[] {
  const { now_ms, is_possible, off_ms, is_synchronised } = facts;
  if (off_ms !== null && isClockOff(off_ms)) return [found('clock.off', null, { off_s: Math.round(off_ms / 1_000) })];
  if (off_ms !== null) return [found('clock.ok', null, { source: 'cloud' })];
  if (!is_possible) return [found('clock.unknown', null, { time: new Date(now_ms).toISOString() })];
  if (is_synchronised === true) return [found('clock.ok', null, { source: 'device' })];
  return [found('clock.time_unknown', null, { time: timeText(now_ms) })];
}
