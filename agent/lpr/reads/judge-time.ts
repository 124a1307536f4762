/** Decides when a read happened, and learns from it how far the camera's clock is off. */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraRead } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import { decideEventTime, type EventTime } from './decide-event-time.js';

export interface TimeJudgeDeps {
  states: CameraStates;
  clock: Clock;
  /** Whether the gateway knows the time. */
  clockOk: () => boolean;
}

/** Decides the time of the read, and keeps what the read shows of the camera's clock. */
export function judgeTime(camera: CameraItem, read: CameraRead, deps: TimeJudgeDeps): EventTime {
  const { clock, states } = deps;
  const received_ms = clock.now();
  const camera_ms = read.camera_time?.epoch_ms ?? null;
  const time = decideEventTime({
    camera_ms,
    received_ms,
    retransmission: read.retransmission,
    clock_ok: deps.clockOk(),
    known_behind_ms: states.clockBehindMs(camera.device_id),
    contact_ms: states.lastContactMs(camera.device_id),
  });
  if (read.seems_late === true && camera_ms !== null && deps.clockOk())
    time.late_ms = Math.max(0, received_ms - camera_ms);
  // What tells of the past is late however it is dated.
  if (read.history === true) time.age_ms = Infinity;
  if (time.late_ms !== undefined) states.recordLate(camera.device_id, time.late_ms);
  else if (time.camera_behind_ms === null) states.recordPush(camera.device_id);
  else states.recordClock(camera.device_id, { behindMs: time.camera_behind_ms, isDrifting: time.is_drifting });
  return time;
}
