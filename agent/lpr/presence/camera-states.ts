/** Keeps what each camera's pushes and reads have shown since the agent started, for consoles, `doctor` and reports. */
import type { Clock } from '../../../shared/clock.js';
import { type Contact, lastContactMs, noteContact } from '../../../shared/decide-device-time.js';

/** How long a camera counts as opening by its own list after it did. */
const OWN_LIST_MS = 24 * 3_600_000;
const REFUSAL_MS = 3_600_000;

export interface CameraState {
  device_id: string;
  /** When the camera last pushed anything, in wall milliseconds. */
  last_seen_ms: number;
  /** The same on the monotonic clock. */
  last_seen_mono_ms: number;
  /** How far the camera's clock is behind the gateway's; null while no read has shown it. */
  clock_behind_ms: number | null;
  /** The clock is so wrong that the time of arrival is used instead. */
  is_drifting: boolean;
  /** How late the newest read was, in milliseconds, when it counts as of the past only because of the camera's clock; null: it does not. */
  late_ms: number | null;
}

interface KeptState {
  state: CameraState;
  contact: Contact;
}

/** Why nothing of a push was read. `from`: the address that it came from. */
export type PushFault =
  | { kind: 'wrong_key'; from: string }
  | { kind: 'wrong_driver'; posted: string; from: string }
  | { kind: 'not_understood'; reason: string };

interface Refusal {
  reason: string;
  fault: PushFault | null;
  mono_ms: number;
}

export interface CameraStates {
  /** Notes that the camera pushed anything. */
  recordPush(deviceId: string): void;
  recordClock(deviceId: string, clock: { behindMs: number; isDrifting: boolean }): void;
  /** Notes a read that counts as of the past because it came so late by the camera's clock. */
  recordLate(deviceId: string, lateMs: number): void;
  /** Notes that the camera let a vehicle through by its own list. */
  recordOwnList(deviceId: string): void;
  /** Whether the camera did so within the last day. */
  opensByItself(deviceId: string): boolean;
  /** Notes whether a read of the camera told a direction. */
  recordDirection(deviceId: string, isKnown: boolean): void;
  /** Whether the camera's last read told none. */
  lacksDirections(deviceId: string): boolean;
  /** Notes that nothing of a request of the camera was read. @param reason for people */
  recordRefusal(deviceId: string, reason: string, fault?: PushFault): void;
  /** Notes that a read of the camera was understood: signs of life alone do not show that. */
  recordUnderstood(deviceId: string): void;
  /** Why nothing of the last request was read; null: none failed so within the last hour, or a better one came since. */
  refusal(deviceId: string): string | null;
  /** The same for programs; null: there is no refusal, or it is of another kind. */
  pushFault(deviceId: string): PushFault | null;
  /** Forgets that a read came late: the camera's clock was found to be right. */
  forgetLate(deviceId: string): void;
  /** Whether the camera pushed at or after a moment of the monotonic clock. */
  pushedSince(deviceId: string, mono_ms: number): boolean;
  /** How far its clock is behind the gateway's, in milliseconds; null while no read has shown it. */
  clockBehindMs(deviceId: string): number | null;
  /** When the camera was last heard before its present transmission began, in wall milliseconds; null: not known. */
  lastContactMs(deviceId: string): number | null;
  /** How late the newest read was, in milliseconds, when it counts as of the past only because of the camera's clock; null: it does not. */
  lateMs(deviceId: string): number | null;
  list(): CameraState[];
}

/** @param running_ms when this gateway last ran before it started, in wall milliseconds; left out: not known */
export function createCameraStates(clock: Clock, running_ms = 0): CameraStates {
  const states = new Map<string, KeptState>();
  const ownLists = new Map<string, number>();
  const directions = new Map<string, boolean>();
  const refusals = new Map<string, Refusal>();
  function touch(deviceId: string): CameraState {
    const before = states.get(deviceId);
    const clock_unknown = { clock_behind_ms: null, is_drifting: false, late_ms: null };
    const state = before?.state ?? {
      device_id: deviceId,
      last_seen_ms: 0,
      last_seen_mono_ms: 0,
      ...clock_unknown,
    };
    state.last_seen_ms = clock.now();
    state.last_seen_mono_ms = clock.monotonic();
    // A heartbeat is understood beside reads that are not.
    if (refusals.get(deviceId)?.fault?.kind !== 'not_understood') refusals.delete(deviceId);
    states.set(deviceId, { state, contact: noteContact(before?.contact ?? null, state.last_seen_mono_ms) });
    return state;
  }
  function recentRefusal(deviceId: string): Refusal | null {
    const refusal = refusals.get(deviceId);
    return refusal === undefined || clock.monotonic() - refusal.mono_ms > REFUSAL_MS ? null : refusal;
  }
  return {
    recordPush: (deviceId) => void touch(deviceId),
    recordClock(deviceId, { behindMs, isDrifting }) {
      const state = touch(deviceId);
      state.clock_behind_ms = behindMs;
      state.is_drifting = isDrifting;
      state.late_ms = null;
    },
    // A read that comes late shows nothing of the clock yet.
    recordLate: (deviceId, lateMs) => void (touch(deviceId).late_ms = lateMs),
    recordOwnList: (deviceId) => void ownLists.set(deviceId, clock.monotonic()),
    opensByItself: (deviceId) => clock.monotonic() - (ownLists.get(deviceId) ?? -Infinity) < OWN_LIST_MS,
    recordDirection: (deviceId, isKnown) => void directions.set(deviceId, isKnown),
    lacksDirections: (deviceId) => directions.get(deviceId) === false,
    recordRefusal: (deviceId, reason, fault) =>
      void refusals.set(deviceId, { reason, fault: fault ?? null, mono_ms: clock.monotonic() }),
    recordUnderstood: (deviceId) => void refusals.delete(deviceId),
    refusal: (deviceId) => recentRefusal(deviceId)?.reason ?? null,
    pushFault: (deviceId) => recentRefusal(deviceId)?.fault ?? null,
    forgetLate(deviceId) {
      const kept = states.get(deviceId);
      if (kept !== undefined) kept.state.late_ms = null;
    },
    pushedSince: (deviceId, mono_ms) => (states.get(deviceId)?.state.last_seen_mono_ms ?? -Infinity) >= mono_ms,
    clockBehindMs: (deviceId) => states.get(deviceId)?.state.clock_behind_ms ?? null,
    lastContactMs(deviceId) {
      const now = { wall_ms: clock.now(), mono_ms: clock.monotonic(), running_ms };
      return lastContactMs(states.get(deviceId)?.contact ?? null, now);
    },
    lateMs: (deviceId) => states.get(deviceId)?.state.late_ms ?? null,
    list: () => [...states.values()].map(({ state }) => ({ ...state })),
  };
}
