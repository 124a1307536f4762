/** Decides when a read happened: by the camera's clock while that is plausible, else by the time at which the read arrived. */

/** An offset beyond this comes from factory settings or a lost time server, and not from a slow link. */
export const CLOCK_OFF_MAX_MS = 60_000;

export interface EventTime {
  event_ms: number;
  /** How long ago that was when the read arrived; Infinity when nobody can know. */
  age_ms: number;
  /** How far the camera's clock is behind the gateway's; null when the read carries no time, or is a retransmission. */
  camera_behind_ms: number | null;
  is_drifting: boolean;
  /** How late a read came that is taken for the past because of the camera's clock alone. Left out: it is not. */
  late_ms?: number;
}

/** `clock_ok` false: the gateway itself does not know the time yet. */
export function decideEventTime(read: {
  camera_ms: number | null;
  received_ms: number;
  retransmission: boolean;
  clock_ok: boolean;
}): EventTime {
  const { camera_ms, received_ms, retransmission, clock_ok } = read;
  if (retransmission) {
    const believed_ms = camera_ms !== null && camera_ms - received_ms <= CLOCK_OFF_MAX_MS ? camera_ms : null;
    return {
      event_ms: Math.max(0, clock_ok ? Math.min(believed_ms ?? received_ms, received_ms) : (camera_ms ?? received_ms)),
      age_ms: clock_ok && believed_ms !== null ? Math.max(0, received_ms - believed_ms) : Infinity,
      camera_behind_ms: null,
      is_drifting: false,
    };
  }
  if (camera_ms === null) return { event_ms: received_ms, age_ms: 0, camera_behind_ms: null, is_drifting: false };
  const camera_behind_ms = received_ms - camera_ms;
  const off = Math.abs(camera_behind_ms) > CLOCK_OFF_MAX_MS;
  return {
    event_ms: off ? received_ms : camera_ms,
    age_ms: off ? 0 : Math.max(0, camera_behind_ms),
    camera_behind_ms,
    is_drifting: off && clock_ok,
  };
}
