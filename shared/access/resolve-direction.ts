/** Determines from a camera's data whether a vehicle came in or went out (REST contract, "Access decisions", "Direction"). */
import type { CAMERA_DIRECTIONS, PLATE_SIDES, READ_DIRECTIONS } from '../events/event-schemas.js';

/**
 * The vehicle's movement as the camera saw it. `towards`: approach, forward, Axis `in`. `away`: away, reverse, Axis `out`. `unknown`: the
 * camera reports that it does not know. `absent`: the camera reports nothing (no field, empty, `-`).
 */
export type Movement = 'towards' | 'away' | 'unknown' | 'absent';
export type CameraDirection = (typeof CAMERA_DIRECTIONS)[number];
export type ReadDirection = (typeof READ_DIRECTIONS)[number];

interface CameraPlacement {
  lpr_position: CameraDirection;
  plate_side: (typeof PLATE_SIDES)[number];
  direction_source: 'reported' | 'position';
}

/**
 * Says whether the direction of a read is that of the camera's position, because the camera reports none, or none that
 * counts.
 */
export const isByPosition = (
  movement: Movement,
  { direction_source }: Pick<CameraPlacement, 'direction_source'>,
): boolean => direction_source === 'position' || movement === 'absent';

/** Determines the direction of a read. A camera sees the front plate of an approaching vehicle, and the rear plate of a leaving one. */
export function resolveDirection(movement: Movement, camera: CameraPlacement): ReadDirection {
  if (isByPosition(movement, camera)) {
    return camera.lpr_position === 'in/out' ? 'undefined' : camera.lpr_position;
  }
  if (movement === 'unknown') return 'undefined';
  const own = camera.lpr_position === 'out' ? 'out' : 'in';
  const opposite = own === 'in' ? 'out' : 'in';
  return (movement === 'towards') === (camera.plate_side === 'front') ? own : opposite;
}
