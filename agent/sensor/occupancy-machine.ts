/** Whether a place is occupied, from what its sensor measures. Silence changes nothing: a sensor that says nothing does not say "free". */
import type { OCCUPANCY_STATES } from '../../shared/events/event-schemas.js';
import type { RegisterConfig } from '../../shared/gateway-config.js';

export type Occupancy = (typeof OCCUPANCY_STATES)[number];

/** How a measurement is judged. */
export type OccupancyRule = Pick<RegisterConfig, 'occupied' | 'sentinels'>;

export interface PlaceState {
  /** null: not measured yet. */
  occupancy: Occupancy | null;
  /** Wall milliseconds at which it became so. */
  changed_ms: number;
  /** Monotonic milliseconds of the last measurement; null: none in this start of the agent. */
  heard_mono_ms: number | null;
}

/** How many heartbeats a sensor may miss before it counts as gone. */
const HEARTBEATS_MAX = 3;

/** @param value what the sensor measured; null: nothing */
export function occupancy(
  state: PlaceState,
  reading: { value: number | null; rule: OccupancyRule },
  now: { wall_ms: number; mono_ms: number },
): PlaceState {
  const { value, rule } = reading;
  if (value === null || rule.sentinels.includes(value)) return state;
  const judged = judge(value, rule.occupied, state.occupancy);
  return {
    occupancy: judged,
    changed_ms: judged === state.occupancy ? state.changed_ms : now.wall_ms,
    heard_mono_ms: now.mono_ms,
  };
}

function judge(value: number, occupied: OccupancyRule['occupied'], before: Occupancy | null): Occupancy {
  if ('mask' in occupied) return (value & occupied.mask) === 0 ? 'free' : 'occupied';
  if (value < occupied.below) return 'occupied';
  if (value > occupied.below + occupied.hysteresis) return 'free';
  return before ?? 'free';
}

/** Whether something last heard at `heard_mono_ms` has been silent for too long. */
export function isSilent(heard_mono_ms: number, sensor: { heartbeat_s: number; mono_ms: number }): boolean {
  return sensor.mono_ms - heard_mono_ms >= HEARTBEATS_MAX * sensor.heartbeat_s * 1_000;
}
