/** Whether a camera is online, from being looked after round by round (realtime contract: "three misses are offline"). */

/** How many rounds in a row a camera may miss. */
const MISSES_MAX = 3;

export interface CameraPresence {
  /** null: neither found nor missed often enough since the agent started. */
  status: 'online' | 'offline' | null;
  /** Rounds in a row. */
  misses: number;
}

export const UNKNOWN_CAMERA: CameraPresence = { status: null, misses: 0 };

export function decideCameraStatus(before: CameraPresence, isThere: boolean): CameraPresence {
  if (isThere) return { status: 'online', misses: 0 };
  const misses = Math.min(before.misses + 1, MISSES_MAX);
  return { status: misses === MISSES_MAX ? 'offline' : before.status, misses };
}
