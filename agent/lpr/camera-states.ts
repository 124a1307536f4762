/** What is known of each camera in this start of the agent, for consoles, `doctor` and reports. */
import type { Clock } from '../../shared/clock.js';

export interface CameraState {
  device_id: string;
  /** Wall milliseconds of its last push of any kind. */
  last_seen_ms: number;
  /** The same on the monotonic clock. */
  last_seen_mono_ms: number;
  /** How far the camera's clock is behind ours; null while no read told it. */
  clock_behind_ms: number | null;
  /** Its clock is off by more than is believed: times of arrival are used. */
  is_drifting: boolean;
}

export interface CameraStates {
  seen(deviceId: string): void;
  clockTold(deviceId: string, clock: { behindMs: number; isDrifting: boolean }): void;
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
    seen: (deviceId) => void touch(deviceId),
    clockTold(deviceId, { behindMs, isDrifting }) {
      const state = touch(deviceId);
      state.clock_behind_ms = behindMs;
      state.is_drifting = isDrifting;
    },
    pushedSince: (deviceId, mono_ms) => (states.get(deviceId)?.last_seen_mono_ms ?? -Infinity) >= mono_ms,
    list: () => [...states.values()].map((state) => ({ ...state })),
  };
}
