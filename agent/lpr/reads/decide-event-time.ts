/** Decides when a read happened: by the camera's clock, put right by its known error, while that is plausible, else by the time of arrival. */
import { RETRANSMISSION_MAX_AGE_MS } from '../../../shared/access/decide-access.js';
import { decideDeviceTime, type TimeSource } from '../../../shared/decide-device-time.js';
import { isClockOff } from '../../../shared/troubles/rules.js';
import type { JudgedTime } from '../presence/camera-clock-machine.js';

/** A smaller error is the way from the camera to the gateway: the camera's own time is the more exact one. */
const WAY_MS = 10_000;

export interface EventTime {
  event_ms: number;
  time_source: TimeSource;
  /** The read is of the past: it opens nothing. */
  is_late: boolean;
  /** How long before its arrival the read happened; Infinity: not known. */
  age_ms: number;
  /** How far the camera's clock is behind the gateway's; null: the read carries no time, is late, or is a retransmission. */
  camera_behind_ms: number | null;
  is_drifting: boolean;
  /** How late the read came, when it counts as of the past only because of the camera's clock. Left out: it does not. */
  late_ms?: number;
}

export interface TimedRead {
  judged: JudgedTime;
  received_ms: number;
  retransmission: boolean;
  /** false: the gateway does not know the time yet. */
  clock_ok: boolean;
  /** When the camera was last heard before this read; null or left out: not known. */
  contact_ms?: number | null;
}

export function decideEventTime(read: TimedRead): EventTime {
  const { judged, received_ms, clock_ok } = read;
  const behind_ms = Math.abs(judged.behind_ms ?? 0) > WAY_MS ? (judged.behind_ms ?? 0) : 0;
  if (judged.is_late) return decideEarlierTime(read, behind_ms);
  const { camera_ms } = judged;
  // A read of now happened at its arrival. A camera clock that is right makes that exact to the second.
  const off = camera_ms !== null && isClockOff(received_ms - camera_ms - behind_ms);
  const { at_ms, time_source } = decideDeviceTime({
    device_ms: off ? null : camera_ms,
    behind_ms,
    arrived_ms: received_ms,
    contact_ms: read.contact_ms ?? null,
  });
  const camera_behind_ms = camera_ms === null || read.retransmission ? null : received_ms - camera_ms;
  return {
    event_ms: at_ms,
    time_source,
    is_late: false,
    // Whether a read is of now was judged by the clock's whole error, a small part of which the time of the event leaves in.
    age_ms: Math.min(Math.max(0, received_ms - at_ms), RETRANSMISSION_MAX_AGE_MS),
    camera_behind_ms,
    is_drifting: clock_ok && isClockOff(camera_behind_ms ?? 0),
  };
}

function decideEarlierTime(
  { judged, received_ms, clock_ok, contact_ms = null }: TimedRead,
  behind_ms: number,
): EventTime {
  const { camera_ms } = judged;
  const { at_ms, time_source } = decideDeviceTime({
    device_ms: camera_ms,
    behind_ms,
    arrived_ms: received_ms,
    contact_ms,
  });
  const event_ms = Math.max(0, Math.min(at_ms, received_ms));
  const age_ms = clock_ok && time_source === 'device' ? received_ms - event_ms : Infinity;
  return {
    event_ms,
    time_source,
    is_late: true,
    // A read that the vendor marks is late, however young it seems.
    age_ms: age_ms > RETRANSMISSION_MAX_AGE_MS ? age_ms : Infinity,
    camera_behind_ms: null,
    is_drifting: false,
    ...(judged.is_late_by_clock && camera_ms !== null
      ? { late_ms: Math.max(0, received_ms - camera_ms - (judged.behind_ms ?? 0)) }
      : {}),
  };
}
