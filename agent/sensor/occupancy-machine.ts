/** Derives from the readings of a sensor whether its place is occupied. Silence changes nothing: it does not mean "free". */
import type { Occupancy, SensorReading } from './sensor-source.js';

export interface PlaceState {
  /** null: no sensor reading has said anything of the place yet. */
  occupancy: Occupancy | null;
  /** Wall milliseconds at which it became so. */
  changed_ms: number;
  /** Wall milliseconds of the newest sensor reading that has its own time; null: none had one. */
  measured_ms: number | null;
  /** Monotonic milliseconds at which the sensor was last heard; null: not since the agent started. */
  heard_mono_ms: number | null;
}

/** How many heartbeats a sensor may miss before it counts as gone. */
const HEARTBEATS_MAX = 3;

/** @param now when the reading arrived; a sensor whose clock is ahead cannot have measured later than this */
export function applyReading(
  state: PlaceState,
  reading: Pick<SensorReading, 'occupancy' | 'measured_ms'>,
  now: { wall_ms: number; mono_ms: number },
): PlaceState {
  const measured_ms = reading.measured_ms === null ? null : Math.min(reading.measured_ms, now.wall_ms);
  if (measured_ms !== null && state.measured_ms !== null && measured_ms < state.measured_ms) return state;
  const occupancy = reading.occupancy ?? state.occupancy;
  return {
    occupancy,
    changed_ms: occupancy === state.occupancy ? state.changed_ms : (measured_ms ?? now.wall_ms),
    measured_ms: measured_ms ?? state.measured_ms,
    heard_mono_ms: now.mono_ms,
  };
}

/** The shortest time that a state is kept before another one is told, when a sensor flutters. */
const DWELL_MS = 1_000;
/** How many quicker changes are told before a sensor counts as fluttering. */
const QUICK_CHANGES_MAX = 6;

/** The last change of a place that was told. */
export interface ToldChange {
  changed_ms: number;
  mono_ms: number;
  /** How many changes one after the other were quicker than the dwell. */
  quick: number;
}

/**
 * Decides whether a change may be told: the state before it lasted long enough, by the sensor's time or by this gateway's, or the sensor
 * does not flutter. null: not yet.
 * @param told null: none was told since the agent started
 */
export function decideTold(
  told: ToldChange | null,
  change: { changed_ms: number; mono_ms: number },
): ToldChange | null {
  const hasDwelt =
    told === null || change.changed_ms - told.changed_ms >= DWELL_MS || change.mono_ms - told.mono_ms >= DWELL_MS;
  const quick = hasDwelt ? Math.max(0, (told?.quick ?? 0) - 1) : told.quick + 1;
  return quick > QUICK_CHANGES_MAX ? null : { ...change, quick };
}

/** Whether something last heard at `heard_mono_ms` has been silent for too long. */
export function isSilent(heard_mono_ms: number, sensor: { heartbeat_s: number; mono_ms: number }): boolean {
  return sensor.mono_ms - heard_mono_ms >= HEARTBEATS_MAX * sensor.heartbeat_s * 1_000;
}
