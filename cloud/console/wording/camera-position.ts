/** Corrects the position of a camera when somebody who saw the vehicle says which way it drove. */

type Way = 'in' | 'out';
export type Position = Way | 'in/out';

/**
 * The position that the camera has to have; null: the one that it has is right. Whether a camera reports directions or has that of its
 * position: one that looks the other way has the other position (REST contract, "Direction").
 */
export function positionAfter(position: Position, read: Way | 'undefined', drove: Way): Way | null {
  if (read === drove) return null;
  if (read === 'undefined') return position === drove ? null : drove;
  return position === 'out' ? 'in' : 'out';
}
