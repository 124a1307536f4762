/** Decides when a read happened: by the camera's clock while that is plausible, else by the time of arrival. */
import { decideDeviceTime, type TimeSource } from '../../../shared/decide-device-time.js';

/** A larger offset comes from factory settings or a lost time server, and not from a slow link. */
export const CLOCK_OFF_MAX_MS = 60_000;

export interface EventTime {
  event_ms: number;
  time_source: TimeSource;
  /** How long before its arrival the read happened; Infinity: not known. */
  age_ms: number;
  /** How far the camera's clock is behind the gateway's; null: the read carries no time, or is a retransmission. */
  camera_behind_ms: number | null;
  is_drifting: boolean;
  /** How late the read came, when it counts as of the past only because of the camera's clock. Left out: it does not. */
  late_ms?: number;
}

export interface TimedRead {
  camera_ms: number | null;
  received_ms: number;
  retransmission: boolean;
  /** false: the gateway does not know the time yet. */
  clock_ok: boolean;
  /** How far the camera's clock is behind by its live reads; null or left out: they have not shown it. */
  known_behind_ms?: number | null;
  /** When the camera was last heard before this read; null or left out: not known. */
  contact_ms?: number | null;
}

export function decideEventTime(read: TimedRead): EventTime {
  const { camera_ms, received_ms, clock_ok, contact_ms = null } = read;
  if (read.retransmission) return decideEarlierTime(read);
  const camera_behind_ms = camera_ms === null ? null : received_ms - camera_ms;
  const off = camera_behind_ms !== null && Math.abs(camera_behind_ms) > CLOCK_OFF_MAX_MS;
  // A live read happened at its arrival. A camera clock that is right makes that exact to the second.
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
    // A smaller offset comes from the link, and live reads have it too.
    behind_ms: Math.abs(behind_ms) > CLOCK_OFF_MAX_MS ? behind_ms : 0,
    arrived_ms: received_ms,
    contact_ms,
  });
  const event_ms = Math.max(0, Math.min(at_ms, received_ms));
  const age_ms = clock_ok && time_source === 'device' ? Math.max(0, received_ms - event_ms) : Infinity;
  return { event_ms, time_source, age_ms, camera_behind_ms: null, is_drifting: false };
}
