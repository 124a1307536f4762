/** Decides whether a read is of the same vehicle as an earlier read with the same id. Pure. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { HeardMessage, VendorEvent } from '../../access/recent-reads.js';
import { plateOfState } from '../../store/read-state-codec.js';

/**
 * For so long after a vehicle was last reported, its id still stands for it. Cameras number from the beginning after a restart, and the
 * same number then stands for another vehicle.
 */
export const SAME_VEHICLE_MS = 60_000;

export interface SentMessage extends HeardMessage {
  /** The plate as stored; null: no usable plate. */
  plate: string | null;
  /** When the read arrived, in wall milliseconds. */
  now_ms: number;
  /** The id stands for one vehicle for as long as that vehicle is in the picture. */
  tracked: boolean;
}

/**
 * `in_time`: the read is of the same vehicle. `late`: it is too, but came so late that the vehicle may have left. null: it is of another
 * vehicle, or of a later visit. A read that repeats the first one is of the same vehicle, however late it comes.
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
    const isSaid = camera_ms === first.camera_ms && hasPlate(known, sent.plate);
    return isSoon ? 'in_time' : isSaid ? 'late' : null;
  }
  const from = Math.min(first.camera_ms, last.camera_ms) - SAME_VEHICLE_MS;
  const until = Math.max(first.camera_ms, last.camera_ms) + SAME_VEHICLE_MS;
  if (camera_ms < from || camera_ms > until) return null;
  const behind_ms = sent.mono_ms - first.mono_ms - (camera_ms - first.camera_ms);
  return behind_ms <= SAME_VEHICLE_MS ? 'in_time' : 'late';
}

/**
 * Compares by wall time, because after a restart of the gateway only the event time of a read is known: by the camera's clock, or the time
 * of arrival where that clock was off.
 */
function comparedByWall(known: VendorEvent, { camera_ms, now_ms, plate }: SentMessage): 'in_time' | 'late' | null {
  if (known.read === null) return null;
  const isNear = (ms: number, other: number) => Math.abs(ms - other) <= SAME_VEHICLE_MS;
  const { event_ms } = known.read;
  if (camera_ms !== null && isNear(camera_ms, event_ms)) return isNear(now_ms, camera_ms) ? 'in_time' : 'late';
  // The camera's clock is right, and shows another time than that of the event.
  if (camera_ms !== null && isNear(camera_ms, now_ms)) return null;
  if (isNear(now_ms, event_ms)) return 'in_time';
  return hasPlate(known, plate) ? 'late' : null;
}

/** Says whether the camera sent this plate with this id before. */
function hasPlate({ read }: VendorEvent, plate: string | null): boolean {
  if (read === null || plate === null) return read === null && plate === null;
  const compared = normalisePlate(plate);
  return [read.plate, ...read.states.map(plateOfState)].some((written) => normalisePlate(written) === compared);
}
