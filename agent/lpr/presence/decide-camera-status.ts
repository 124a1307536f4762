/** Decides from the rounds of probes whether a camera is online (realtime contract, "Delivery", "three misses are offline"). */

/** How many rounds in a row a camera may miss. */
const MISSES_MAX = 3;

export interface CameraPresence {
  /** null: since the agent started the camera was neither found, nor missed often enough. */
  status: 'online' | 'offline' | null;
  /** How many rounds in a row missed the camera. */
  misses: number;
}

export const UNKNOWN_CAMERA: CameraPresence = { status: null, misses: 0 };
/** The presence after too many misses. */
export const OFFLINE_CAMERA: CameraPresence = { status: 'offline', misses: MISSES_MAX };

export function decideCameraStatus(before: CameraPresence, isThere: boolean): CameraPresence {
  if (isThere) return { status: 'online', misses: 0 };
  const misses = Math.min(before.misses + 1, MISSES_MAX);
  return { status: misses === MISSES_MAX ? 'offline' : before.status, misses };
}
