/** Decides when a read happened: by the camera's clock while that is plausible, else by the time at which the read arrived. */
import { decideDeviceTime, type TimeSource } from '../../../shared/decide-device-time.js';

/** An offset beyond this comes from factory settings or a lost time server, and not from a slow link. */
export const CLOCK_OFF_MAX_MS = 60_000;

export interface EventTime {
  event_ms: number;
  time_source: TimeSource;
  /** How long ago that was when the read arrived; Infinity when nobody can know. */
  age_ms: number;
  /** How far the camera's clock is behind the gateway's; null when the read carries no time, or is a retransmission. */
  camera_behind_ms: number | null;
  is_drifting: boolean;
  /** How late a read came that is taken for the past because of the camera's clock alone. Left out: it is not. */
  late_ms?: number;
}

export interface TimedRead {
  camera_ms: number | null;
  received_ms: number;
  retransmission: boolean;
  /** false: the gateway itself does not know the time yet. */
  clock_ok: boolean;
  /** How far the camera's live reads showed its clock to be behind; null or left out: they showed nothing. */
  known_behind_ms?: number | null;
  /** When the camera was last heard before this; null or left out: nobody knows. */
  contact_ms?: number | null;
}

export function decideEventTime(read: TimedRead): EventTime {
  const { camera_ms, received_ms, clock_ok, contact_ms = null } = read;
  if (read.retransmission) return decideEarlierTime(read);
  const camera_behind_ms = camera_ms === null ? null : received_ms - camera_ms;
  const off = camera_behind_ms !== null && Math.abs(camera_behind_ms) > CLOCK_OFF_MAX_MS;
  // What is live happened at its arrival, put right to the second by a clock that is right.
  const { at_ms, time_source } = decideDeviceTime({
    device_ms: off ? null : camera_ms,
    arrived_ms: received_ms,
    contact_ms,
  });
  const age_ms = Math.max(0, received_ms - at_ms);
  return { event_ms: at_ms, time_source, age_ms, camera_behind_ms, is_drifting: off && clock_ok };
}

function decideEarlierTime(read: TimedRead): EventTime {
  const { camera_ms, received_ms, clock_ok, contact_ms = null } = read;
  const behind_ms = read.known_behind_ms ?? 0;
  const { at_ms, time_source } = decideDeviceTime({
    device_ms: camera_ms,
    // A smaller offset is that of the way: live reads keep it too.
    behind_ms: Math.abs(behind_ms) > CLOCK_OFF_MAX_MS ? behind_ms : 0,
    arrived_ms: received_ms,
    contact_ms,
  });
  const event_ms = Math.max(0, Math.min(at_ms, received_ms));
  const age_ms = clock_ok && time_source === 'device' ? Math.max(0, received_ms - event_ms) : Infinity;
  return { event_ms, time_source, age_ms, camera_behind_ms: null, is_drifting: false };
}
