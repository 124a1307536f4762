/** Keeps what is known of each camera since the agent started, for consoles, `doctor` and reports. */
import type { Clock } from '../../../shared/clock.js';

export interface CameraState {
  device_id: string;
  /** Wall milliseconds of its last push of any kind. */
  last_seen_ms: number;
  /** The same on the monotonic clock. */
  last_seen_mono_ms: number;
  /** How far the camera's clock is behind the gateway's; null while no read has shown it. */
  clock_behind_ms: number | null;
  /** Its clock is so wrong that the time of arrival is used instead. */
  is_drifting: boolean;
}

export interface CameraStates {
  /** Notes that the camera pushed something. */
  recordPush(deviceId: string): void;
  recordClock(deviceId: string, clock: { behindMs: number; isDrifting: boolean }): void;
  /** Whether it pushed at or after a moment of the monotonic clock. */
  pushedSince(deviceId: string, mono_ms: number): boolean;
  list(): CameraState[];
}

export function createCameraStates(clock: Clock): CameraStates {
  const states = new Map<string, CameraState>();
  function touch(deviceId: string): CameraState {
    let state = states.get(deviceId);
    if (state === undefined) {
      state = { device_id: deviceId, last_seen_ms: 0, last_seen_mono_ms: 0, clock_behind_ms: null, is_drifting: false };
      states.set(deviceId, state);
    }
    state.last_seen_ms = clock.now();
    state.last_seen_mono_ms = clock.monotonic();
    return state;
  }
  return {
    recordPush: (deviceId) => void touch(deviceId),
    recordClock(deviceId, { behindMs, isDrifting }) {
      const state = touch(deviceId);
      state.clock_behind_ms = behindMs;
      state.is_drifting = isDrifting;
    },
    pushedSince: (deviceId, mono_ms) => (states.get(deviceId)?.last_seen_mono_ms ?? -Infinity) >= mono_ms,
    list: () => [...states.values()].map((state) => ({ ...state })),
  };
}
