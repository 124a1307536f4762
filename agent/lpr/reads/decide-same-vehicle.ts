/** Decides whether what a camera sends with an id that it used before is of the vehicle of then. Pure. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { HeardMessage, VendorEvent } from '../../access/recent-reads.js';
import { plateOfState } from '../../store/read-state-codec.js';

/**
 * How long after a vehicle was last told of the same id still means it. Cameras count from the beginning after a restart, and what has the
 * same number then is another vehicle.
 */
export const SAME_VEHICLE_MS = 60_000;

export interface SentMessage extends HeardMessage {
  /** As stored; null: no usable plate. */
  plate: string | null;
  /** Wall milliseconds of the gateway. */
  now_ms: number;
  /** Its id is of one vehicle however long that is seen. */
  tracked: boolean;
}

/**
 * `late`: it is of that vehicle, but came so long after it was seen that the vehicle need not stand there any more. null: it is of another
 * vehicle, or of the same one another time. The same message once more is of the same vehicle however late it comes.
 */
export function decideSameVehicle(known: VendorEvent, sent: SentMessage): 'in_time' | 'late' | null {
  const same = known.heard === null ? comparedByWall(known, sent) : comparedByHeard(known, known.heard, sent);
  return same === null && sent.tracked ? 'late' : same;
}

function comparedByHeard(
  known: VendorEvent,
  { first, last }: NonNullable<VendorEvent['heard']>,
  sent: SentMessage,
): 'in_time' | 'late' | null {
  const { camera_ms } = sent;
  if (camera_ms === null || first.camera_ms === null || last.camera_ms === null) {
    const isSoon = sent.mono_ms - last.mono_ms <= SAME_VEHICLE_MS;
    const isSaid = camera_ms === first.camera_ms && isTold(known, sent.plate);
    return isSoon ? 'in_time' : isSaid ? 'late' : null;
  }
  const from = Math.min(first.camera_ms, last.camera_ms) - SAME_VEHICLE_MS;
  const until = Math.max(first.camera_ms, last.camera_ms) + SAME_VEHICLE_MS;
  if (camera_ms < from || camera_ms > until) return null;
  const behind_ms = sent.mono_ms - first.mono_ms - (camera_ms - first.camera_ms);
  return behind_ms <= SAME_VEHICLE_MS ? 'in_time' : 'late';
}

/** Of a read of an earlier start only the time of its event is known: by the camera's clock, or of its arrival where that clock was off. */
function comparedByWall(known: VendorEvent, { camera_ms, now_ms, plate }: SentMessage): 'in_time' | 'late' | null {
  if (known.read === null) return null;
  const isNear = (ms: number, other: number) => Math.abs(ms - other) <= SAME_VEHICLE_MS;
  const { event_ms } = known.read;
  if (camera_ms !== null && isNear(camera_ms, event_ms)) return isNear(now_ms, camera_ms) ? 'in_time' : 'late';
  // A clock that is right speaks of another time.
  if (camera_ms !== null && isNear(camera_ms, now_ms)) return null;
  if (isNear(now_ms, event_ms)) return 'in_time';
  return isTold(known, plate) ? 'late' : null;
}

/** Whether the camera said this plate with this id before. */
function isTold({ read }: VendorEvent, plate: string | null): boolean {
  if (read === null || plate === null) return read === null && plate === null;
  const compared = normalisePlate(plate);
  return [read.plate, ...read.states.map(plateOfState)].some((told) => normalisePlate(told) === compared);
}
