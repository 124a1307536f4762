/**
 * Probes the cameras, round after round. A camera is there when it answers its driver's probe, or has pushed since the round before.
 * A camera that no driver of this gateway can serve is offline, with the reason. After each round all cameras are reported.
 */
import { type Clock, every } from '../../../shared/clock.js';
import { cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { createLimitedQueue } from '../../../shared/limited-queue.js';
import type { Logger } from '../../../shared/logger.js';
import { type CameraCondition, type CameraReport, PROBLEM_LENGTH_MAX } from '../../../shared/uplink-reports.js';
import type { CameraDrivers, ProbeAnswer } from '../camera.js';
import { cleanText } from '../formats/camera-text-parser.js';
import type { CameraStates } from './camera-states.js';
import { type CameraPresence, decideCameraStatus, OFFLINE_CAMERA, UNKNOWN_CAMERA } from './decide-camera-status.js';
import { lateProblem } from './decide-late-reads.js';

/** The limit for a whole probe. */
const PROBE_TIMEOUT_MS = 8_000;
const PROBES_AT_ONCE = 4;
const CAMERAS_MAX = 1_000;

const OWN_LIST_PROBLEM =
  'it let a vehicle through by its own list, beside this gateway: empty that list or switch it off, or it opens for whom the gateway denies';

export interface CameraProberDeps {
  cameras: () => Iterable<CameraItem>;
  /** Cameras of a driver without a probe are judged by their pushes. */
  drivers: CameraDrivers;
  states: Pick<CameraStates, 'pushedSince' | 'clockBehindMs' | 'lateReads' | 'opensByItself' | 'refusal'>;
  clock: Clock;
  logger: Logger;
  intervalMs: number;
  publish(cameras: CameraReport[]): void;
}

export interface CameraProber {
  /** Notes that the cameras changed. New ones, and those that another driver serves now, are probed before the next round. */
  camerasChanged(): void;
  /** Notes why a camera to which the gateway listens cannot be heard; null: it is heard again. */
  setFault(deviceId: string, reason: string | null): void;
  /** Publishes what is known. */
  report(): void;
  /** null: not known yet. */
  status(deviceId: string): 'online' | 'offline' | null;
  /** Why a camera does not work as it should, for people; null: no problem is known. */
  problem(deviceId: string): string | null;
  close(): void;
}

/** Begins the first round at once. */
export function createCameraProber(deps: CameraProberDeps): CameraProber {
  const { clock, logger, states } = deps;
  const closing = new AbortController();
  const presences = new Map<string, CameraPresence>();
  const problems = new Map<string, string>();
  /** Of cameras that are there, but not simply online. */
  const conditions = new Map<string, CameraCondition>();
  /** Of cameras that are listened to, by device_id. */
  const faults = new Map<string, string>();
  /** The latest look at each camera, by its device_id. */
  const looks = new Map<string, symbol>();
  const queue = createLimitedQueue({ name: 'camera probes', concurrency: PROBES_AT_ONCE, waitingMax: CAMERAS_MAX });

  /** Says why no driver of this gateway can serve the camera; null: one can. */
  function unservedReason(camera: CameraItem): string | null {
    if (!deps.drivers.has(camera.driver)) return `this agent has no driver ${camera.driver}`;
    const [setting] = cameraSettingProblems(camera.driver, camera);
    return setting === undefined ? null : `${setting.field} ${setting.reason}`;
  }

  /** null: the camera cannot be asked, and is judged by its pushes alone. */
  async function askProbe(camera: CameraItem): Promise<ProbeAnswer | null> {
    const probe = deps.drivers.get(camera.driver)?.probe ?? null;
    if (probe === null || camera.address === '') return null;
    const limit = new AbortController();
    const timer = clock.setTimer(PROBE_TIMEOUT_MS, () => limit.abort(new Error('no answer in time')));
    const stop = () => limit.abort(closing.signal.reason);
    closing.signal.addEventListener('abort', stop);
    try {
      return await probe(camera, limit.signal);
    } finally {
      timer.cancel();
      closing.signal.removeEventListener('abort', stop);
    }
  }

  /** Logs a problem when it changes, and not every minute. */
  function setProblem({ device_id }: Pick<CameraItem, 'device_id'>, found: string | null): void {
    const problem = found === null ? null : cleanText(found, PROBLEM_LENGTH_MAX);
    if (problem === (problems.get(device_id) ?? null)) return;
    if (problem === null) problems.delete(device_id);
    else problems.set(device_id, problem);
    if (problem === null) logger.info({ camera: device_id }, 'camera works as it should again');
    else logger.warn({ camera: device_id, problem }, 'camera does not work as it should');
  }

  function setPresence(device_id: string, after: CameraPresence): void {
    const before = presences.get(device_id) ?? UNKNOWN_CAMERA;
    presences.set(device_id, after);
    if (after.status !== before.status) logger.info({ camera: device_id, status: after.status }, 'camera status');
  }

  async function look(camera: CameraItem, sinceMonoMs: number): Promise<void> {
    const { device_id } = camera;
    const thisLook = Symbol(device_id);
    looks.set(device_id, thisLook);
    const unserved = unservedReason(camera);
    if (unserved !== null) {
      setProblem(camera, unserved);
      setPresence(device_id, OFFLINE_CAMERA);
      return;
    }
    presences.set(device_id, presences.get(device_id) ?? UNKNOWN_CAMERA);
    // The probe comes first, so that a push during the probe counts too.
    const answer = await queue.run(() => askProbe(camera));
    // The camera may be gone, or another driver may serve it, since the probe began.
    if (closing.signal.aborted || looks.get(device_id) !== thisLook) return;
    const late = states.lateReads(device_id);
    const lateness = late === null ? null : lateProblem(late);
    const ownList = states.opensByItself(device_id) ? OWN_LIST_PROBLEM : null;
    setProblem(camera, answer?.problem ?? faults.get(device_id) ?? states.refusal(device_id) ?? lateness ?? ownList);
    const condition = answer?.isThere === true ? answer.condition : undefined;
    if (condition === undefined) conditions.delete(device_id);
    else conditions.set(device_id, condition);
    const isThere = answer?.isThere === true || states.pushedSince(device_id, sinceMonoMs);
    setPresence(device_id, decideCameraStatus(presences.get(device_id) ?? UNKNOWN_CAMERA, isThere));
  }

  async function round(cameras: CameraItem[]): Promise<void> {
    const sinceMonoMs = clock.monotonic() - deps.intervalMs;
    await Promise.all(cameras.map((camera) => look(camera, sinceMonoMs)));
    report();
  }

  function report(): void {
    const cameras = [...deps.cameras()].flatMap(({ id, device_id }) => {
      const status = presences.get(device_id)?.status ?? null;
      if (status === null) return [];
      const behind = states.clockBehindMs(device_id);
      const drift = behind === null ? {} : { clock_behind_ms: Math.round(behind) };
      const condition = conditions.get(device_id);
      const besides = condition === undefined || status !== 'online' ? {} : { condition };
      return [{ lpr_camera_id: id, status, problem: problems.get(device_id) ?? null, ...besides, ...drift }];
    });
    if (cameras.length > 0 && !closing.signal.aborted) deps.publish(cameras);
  }

  const onError = (error: unknown) => logger.error({ err: error }, 'the cameras could not be looked after');
  const startRound = (cameras: CameraItem[]) => void round(cameras).catch(onError);
  const rounds = every({ clock, periodMs: deps.intervalMs, work: () => round([...deps.cameras()]), onError });
  startRound([...deps.cameras()]);

  return {
    camerasChanged() {
      const cameras = [...deps.cameras()];
      const present = new Set(cameras.map(({ device_id }) => device_id));
      for (const device_id of presences.keys()) {
        if (present.has(device_id)) continue;
        presences.delete(device_id);
        problems.delete(device_id);
        conditions.delete(device_id);
        looks.delete(device_id);
      }
      const unknown = cameras.filter((camera) => {
        const { device_id } = camera;
        const unserved = unservedReason(camera);
        return !presences.has(device_id) || (unserved !== null && unserved !== problems.get(device_id));
      });
      if (unknown.length > 0) startRound(unknown);
    },
    setFault(device_id, reason) {
      if (closing.signal.aborted) return;
      if (reason === null) faults.delete(device_id);
      else faults.set(device_id, reason);
      setProblem({ device_id }, reason);
    },
    report,
    status: (deviceId) => presences.get(deviceId)?.status ?? null,
    problem: (deviceId) => problems.get(deviceId) ?? null,
    close() {
      rounds.cancel();
      closing.abort(new Error('the agent stops'));
    },
  };
}
