/**
 * Looks after the cameras, round after round: a camera is there when it answers its driver's probe, or has pushed since the round
 * before. After each round all of them are reported.
 */
import { type Clock, every } from '../../shared/clock.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { createLimitedQueue } from '../../shared/limited-queue.js';
import type { Logger } from '../../shared/logger.js';
import type { CameraReport } from '../../shared/uplink.js';
import type { CameraProbe } from './camera.js';
import type { CameraStates } from './camera-states.js';
import { type CameraPresence, decideCameraStatus, UNKNOWN_CAMERA } from './decide-camera-status.js';

/** For all that one probe does. */
const PROBE_TIMEOUT_MS = 8_000;
const PROBES_AT_ONCE = 4;
const CAMERAS_MAX = 1_000;

export interface CameraProberDeps {
  cameras: () => Iterable<CameraItem>;
  /** By the driver's name; cameras of others are judged by their pushes. */
  probes: Record<string, CameraProbe>;
  states: Pick<CameraStates, 'pushedSince'>;
  clock: Clock;
  logger: Logger;
  intervalMs: number;
  publish(cameras: CameraReport[]): void;
}

export interface CameraProber {
  /** The cameras changed: new ones are not left waiting for the next round. */
  camerasChanged(): void;
  /** Publishes what is known. */
  report(): void;
  /** null: not known yet. */
  status(deviceId: string): 'online' | 'offline' | null;
  close(): void;
}

/** The first round begins at once. */
export function createCameraProber(deps: CameraProberDeps): CameraProber {
  const { clock, logger, states } = deps;
  const closing = new AbortController();
  const presences = new Map<string, CameraPresence>();
  const problems = new Map<string, string>();
  const queue = createLimitedQueue({ name: 'camera probes', concurrency: PROBES_AT_ONCE, waitingMax: CAMERAS_MAX });

  async function probed(camera: CameraItem): Promise<boolean> {
    const probe = Object.hasOwn(deps.probes, camera.driver) ? deps.probes[camera.driver] : undefined;
    if (probe === undefined || camera.address === '') return false;
    const limit = new AbortController();
    const timer = clock.setTimer(PROBE_TIMEOUT_MS, () => limit.abort(new Error('no answer in time')));
    const stop = () => limit.abort(closing.signal.reason);
    closing.signal.addEventListener('abort', stop);
    try {
      const { isThere, problem } = await probe(camera, limit.signal);
      note(camera, problem);
      return isThere;
    } finally {
      timer.cancel();
      closing.signal.removeEventListener('abort', stop);
    }
  }

  /** Said when it changes, not every minute. */
  function note({ device_id }: CameraItem, problem: string | null): void {
    if (problem === (problems.get(device_id) ?? null)) return;
    if (problem === null) problems.delete(device_id);
    else problems.set(device_id, problem);
    if (problem === null) logger.info({ camera: device_id }, 'camera answers');
    else logger.warn({ camera: device_id, problem }, 'camera does not answer as it should');
  }

  async function look(camera: CameraItem, sinceMonoMs: number): Promise<void> {
    const { device_id } = camera;
    presences.set(device_id, presences.get(device_id) ?? UNKNOWN_CAMERA);
    // The probe goes first: a push that comes while it is on its way counts too.
    const isThere = (await queue.run(() => probed(camera))) || states.pushedSince(device_id, sinceMonoMs);
    if (closing.signal.aborted) return;
    const before = presences.get(device_id) ?? UNKNOWN_CAMERA;
    const after = decideCameraStatus(before, isThere);
    presences.set(device_id, after);
    if (after.status !== before.status) logger.info({ camera: device_id, status: after.status }, 'camera status');
  }

  async function round(cameras: CameraItem[]): Promise<void> {
    const sinceMonoMs = clock.monotonic() - deps.intervalMs;
    await Promise.all(cameras.map((camera) => look(camera, sinceMonoMs)));
    report();
  }

  function report(): void {
    const cameras = [...deps.cameras()].flatMap(({ id, device_id }) => {
      const status = presences.get(device_id)?.status ?? null;
      return status === null ? [] : [{ lpr_camera_id: id, status }];
    });
    if (cameras.length > 0 && !closing.signal.aborted) deps.publish(cameras);
  }

  const onError = (error: unknown) => logger.error({ err: error }, 'the cameras could not be looked after');
  const soon = (cameras: CameraItem[]) => void round(cameras).catch(onError);
  const rounds = every({ clock, periodMs: deps.intervalMs, work: () => round([...deps.cameras()]), onError });
  soon([...deps.cameras()]);

  return {
    camerasChanged() {
      const cameras = [...deps.cameras()];
      const present = new Set(cameras.map(({ device_id }) => device_id));
      for (const device_id of presences.keys()) {
        if (present.has(device_id)) continue;
        presences.delete(device_id);
        problems.delete(device_id);
      }
      const unknown = cameras.filter(({ device_id }) => !presences.has(device_id));
      if (unknown.length > 0) soon(unknown);
    },
    report,
    status: (deviceId) => presences.get(deviceId)?.status ?? null,
    close() {
      rounds.cancel();
      closing.abort(new Error('the agent stops'));
    },
  };
}
