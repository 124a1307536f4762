/**
 * Derives from the readings of a sensor whether its place is occupied. Silence changes nothing: it does not mean
 * "free". A state counts once it has settled, and not as soon as the sensor reports it, so that a sensor that flutters
 * moves no sign and no barrier.
 */
import {
  type Contact,
  decideDeviceTime,
  lastContactMs,
  noteContact,
  type TimeSource,
} from '../../shared/decide-device-time.js';
import type { Settling } from '../../shared/drivers/settling.js';
import { type HeardFrames, noteFrame } from './frame-count-machine.js';
import type { Occupancy, SensorReading } from './sensor-source.js';

export interface PlaceState {
  /** The sensor's last state; null: no sensor reading has said anything of the place yet. */
  occupancy: Occupancy | null;
  /** Wall milliseconds at which it became so. */
  changed_ms: number;
  /** Whose time that is. */
  time_source: TimeSource;
  /** Monotonic milliseconds at which that was heard. */
  since_mono_ms: number;
  /** Wall milliseconds of the newest sensor reading that has its own time; null: none had one. */
  measured_ms: number | null;
  /** A reading that came with an older time than that; null: the newest one was in its order. */
  late: { measured_ms: number; mono_ms: number } | null;
  /** The frames that were heard, where the sensor counts them; null: none. */
  frames: HeardFrames | null;
  /** Monotonic milliseconds at which the sensor was last heard; null: not since the agent started. */
  heard_mono_ms: number | null;
  /** The last long silence of the sensor. */
  silence: Contact['silence'];
  /** The state that counts: the last one that has settled, also from before a restart; null: none yet. */
  settled: Occupancy | null;
  /** When that changed; null: not since the agent started. */
  change: SettledChange | null;
}

/** @param settled the state that an earlier start of the agent recorded last; null: none */
export const newPlaceState = (settled: Occupancy | null): PlaceState => ({
  occupancy: settled,
  changed_ms: 0,
  time_source: 'arrival',
  since_mono_ms: 0,
  measured_ms: null,
  late: null,
  frames: null,
  heard_mono_ms: null,
  silence: null,
  settled,
  change: null,
});

/** How many heartbeats a sensor may miss before it counts as gone. */
const HEARTBEATS_MAX = 3;
/** When two readings with older times are this far apart by both clocks, the sensor's clock was set back; they were not just sent late. */
const SET_BACK_AFTER_MS = 30_000;
const SET_BACK_TOLERANCE_MS = 60_000;

/**
 * Applies a reading to the state of its place. A reading whose time is older than the newest one only shows that the sensor lives, unless the
 * sensor's clock was set back. That is known by a second such reading, when both clocks show the same time between the two. The time of the
 * sensor is then not used. A frame that is older than one before, by its count, changes nothing.
 * @param now when the reading arrived; a sensor cannot have measured later than this. `running_ms`: the last time at which this gateway is
 * known to have run before its start; left out: not known
 */
export function applyReading(
  state: PlaceState,
  reading: Pick<SensorReading, 'occupancy' | 'measured_ms' | 'frame'>,
  now: { wall_ms: number; mono_ms: number; running_ms?: number },
): PlaceState {
  const frames = framesAfter(state, reading, now.mono_ms);
  if (frames === 'older') return state;
  const contact = noteContact(contactOf(state), now.mono_ms);
  const contact_ms = lastContactMs(contact, { ...now, running_ms: now.running_ms ?? 0 });
  const measured_ms = plausible(reading.measured_ms, { arrived_ms: now.wall_ms, contact_ms });
  const heard = { ...state, frames, heard_mono_ms: now.mono_ms, silence: contact.silence };
  if (measured_ms === null || state.measured_ms === null || measured_ms >= state.measured_ms) {
    return {
      ...said(heard, reading.occupancy, {
        mono_ms: now.mono_ms,
        at_ms: measured_ms ?? now.wall_ms,
        time_source: measured_ms === null ? 'arrival' : 'device',
      }),
      ...newest(measured_ms),
    };
  }
  const late = { measured_ms, mono_ms: now.mono_ms };
  if (state.late === null || !isSteady(state.late, late)) return { ...heard, late };
  if (late.mono_ms - state.late.mono_ms < SET_BACK_AFTER_MS) return heard;
  const arrived = { mono_ms: now.mono_ms, at_ms: now.wall_ms, time_source: 'arrival' as const };
  return { ...said(heard, reading.occupancy, arrived), ...newest(measured_ms) };
}

function framesAfter(
  { frames }: PlaceState,
  { frame }: Pick<SensorReading, 'frame'>,
  mono_ms: number,
): HeardFrames | null | 'older' {
  if (frame === undefined) return frames;
  return frame === null ? null : (noteFrame(frames, frame, mono_ms) ?? 'older');
}

const contactOf = ({ heard_mono_ms, silence }: PlaceState): Contact | null =>
  heard_mono_ms === null ? null : { last_mono_ms: heard_mono_ms, silence };

const newest = (measured_ms: number | null): Partial<PlaceState> =>
  measured_ms === null ? {} : { measured_ms, late: null };

function said(
  state: PlaceState,
  occupancy: Occupancy | null,
  at: { at_ms: number; mono_ms: number; time_source: TimeSource },
): PlaceState {
  if (occupancy === null || occupancy === state.occupancy) return state;
  const { at_ms, mono_ms, time_source } = at;
  return { ...state, occupancy, changed_ms: at_ms, time_source, since_mono_ms: mono_ms };
}

/** @returns null: the sensor sent no time, or an impossible one */
function plausible(
  device_ms: number | null,
  arrival: { arrived_ms: number; contact_ms: number | null },
): number | null {
  const { at_ms, time_source } = decideDeviceTime({ device_ms, ...arrival });
  return time_source === 'device' ? Math.min(at_ms, arrival.arrived_ms) : null;
}

type Late = NonNullable<PlaceState['late']>;

const isSteady = (before: Late, late: Late): boolean =>
  Math.abs(late.measured_ms - before.measured_ms - (late.mono_ms - before.mono_ms)) <= SET_BACK_TOLERANCE_MS;

/** How many changes may follow each other quicker than the dwell before a sensor counts as fluttering. */
const QUICK_CHANGES_MAX = 6;

/** The last change of what counts. */
export interface SettledChange {
  changed_ms: number;
  mono_ms: number;
  /** How many changes were quicker than the dwell; one is forgotten with each dwell that passes. */
  quick: number;
}

/**
 * Lets what the sensor says count, if it has settled: it has been so for the debounce, and the sensor does not flutter. A sensor that
 * flutters changes what counts once in a dwell. To be called with each reading, and again and again while time passes.
 */
export function settle(
  state: PlaceState,
  { mono_ms, debounce_ms, dwell_ms }: Settling & { mono_ms: number },
): PlaceState {
  const { occupancy, settled, changed_ms } = state;
  if (occupancy === null || occupancy === settled) return state;
  const isKnown = settled !== null;
  if (isKnown && mono_ms - state.since_mono_ms < debounce_ms) return state;
  const change = decideChange(state.change, { changed_ms, mono_ms, dwell_ms });
  return change === null ? state : { ...state, settled: occupancy, change };
}

/**
 * Decides whether another change may count, by the time between the two as the sensor or as this gateway saw it.
 * @param last null: there was none since the agent started
 * @returns null: not yet
 */
function decideChange(
  last: SettledChange | null,
  { dwell_ms, ...change }: { changed_ms: number; mono_ms: number; dwell_ms: number },
): SettledChange | null {
  const passed_ms = last === null ? 0 : Math.max(change.changed_ms - last.changed_ms, change.mono_ms - last.mono_ms);
  const forgotten = dwell_ms === 0 ? Number.POSITIVE_INFINITY : passed_ms / dwell_ms;
  const quick = Math.max(0, (last?.quick ?? 0) - forgotten) + 1;
  return quick > QUICK_CHANGES_MAX ? null : { ...change, quick };
}

/** Says whether something last heard at `heard_mono_ms` has been silent for too long. */
export function isSilent(heard_mono_ms: number, sensor: { heartbeat_s: number; mono_ms: number }): boolean {
  return sensor.mono_ms - heard_mono_ms >= HEARTBEATS_MAX * sensor.heartbeat_s * 1_000;
}
