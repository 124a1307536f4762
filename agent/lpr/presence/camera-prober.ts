/**
 * Probes the cameras in rounds. A camera is there when it answers its driver's probe, or has pushed since the round before. A camera that
 * no driver of this gateway can serve is offline, with the reason. After each round all cameras are reported.
 */
import { type Clock, every, type Timer } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { isZoneKnown } from '../../../shared/counted-zone.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import type { Logger } from '../../../shared/logger.js';
import type { CameraReport } from '../../../shared/uplink-reports.js';
import { type CameraDrivers, type ProbeAnswer, unservedReason } from '../camera.js';
import { withinTime } from '../network/within-time.js';
import { LATE_MS } from './camera-clock-machine.js';
import type { CameraStates } from './camera-states.js';
import { decideCameraStatus, OFFLINE_CAMERA, UNKNOWN_CAMERA } from './decide-camera-status.js';
import { createKnownCameras, type KnownCameras } from './known-cameras.js';

/** A camera that was not found yet since the start, and whose reason is known, is looked at again so soon: a person waits for that reason. */
const AGAIN_MS = 15_000;
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
  states: Pick<
    CameraStates,
    'pushedSince' | 'clockBehindMs' | 'lateMs' | 'forgetLate' | 'opensByItself' | 'lacksDirections' | 'refusal'
  >;
  clock: Clock;
  /** Whether the gateway knows the time. */
  clockOk(): boolean;
  logger: Logger;
  intervalMs: number;
  publish(cameras: CameraReport[]): void;
}

export interface CameraProber {
  /** Notes that the configuration of cameras changed. New cameras, and those with another driver, are probed before the next round. */
  camerasChanged(): void;
  /** Notes why the gateway cannot hear a camera that it listens to; null: it hears the camera again. */
  setFault(deviceId: string, reason: string | null): void;
  /** Publishes what is known of the cameras. */
  report(): void;
  /** null: the status is not known yet. */
  status(deviceId: string): 'online' | 'offline' | null;
  /** Why a camera does not work as it should, for people; null: no problem is known. */
  problem(deviceId: string): string | null;
  close(): void;
}

/** Begins the first round at once. */
export function createCameraProber(deps: CameraProberDeps): CameraProber {
  const { clock, logger, states, drivers } = deps;
  const closing = new AbortController();
  let again: Timer | null = null;
  const known = createKnownCameras(logger);
  const look = createLook(deps, known, closing.signal);

  async function round(cameras: CameraItem[]): Promise<void> {
    const sinceMonoMs = clock.monotonic() - deps.intervalMs;
    await Promise.all(cameras.map((camera) => look(camera, sinceMonoMs)));
    report();
    if ([...deps.cameras()].some((camera) => isUnfound(camera, known))) again ??= clock.setTimer(AGAIN_MS, lookAgain);
  }

  function lookAgain(): void {
    again = null;
    const unfound = [...deps.cameras()].filter((camera) => isUnfound(camera, known));
    if (unfound.length > 0) startRound(unfound);
  }

  function report(): void {
    const cameras = [...deps.cameras()].flatMap((camera) => reportOf(camera, known, states) ?? []);
    if (cameras.length > 0 && !closing.signal.aborted) deps.publish(cameras);
  }

  const onError = (error: unknown) => logger.error({ err: error }, 'a round of camera probes failed');
  const startRound = (cameras: CameraItem[]) => void round(cameras).catch(onError);
  const rounds = every({ clock, periodMs: deps.intervalMs, work: () => round([...deps.cameras()]), onError });
  startRound([...deps.cameras()]);

  return {
    camerasChanged() {
      const cameras = [...deps.cameras()];
      known.keepOnly(new Set(cameras.map(({ device_id }) => device_id)));
      const changed = cameras.filter((camera) => isToBeLookedAt(camera, known, drivers));
      if (changed.length > 0) startRound(changed);
    },
    setFault(device_id, reason) {
      if (!closing.signal.aborted) known.setFault(device_id, reason);
    },
    report,
    status: (deviceId) => known.get(deviceId)?.presence?.status ?? null,
    problem: (deviceId) => known.get(deviceId)?.problem ?? null,
    close() {
      rounds.cancel();
      again?.cancel();
      closing.abort(new Error('the agent stops'));
    },
  };
}

/** Makes the function that looks at one camera and notes the result. @param signal ends the looks under way */
function createLook(
  deps: CameraProberDeps,
  known: KnownCameras,
  signal: AbortSignal,
): (camera: CameraItem, sinceMonoMs: number) => Promise<void> {
  const { clock, states, drivers } = deps;
  const queue = createSemaphore({ name: 'camera probes', permits: PROBES_AT_ONCE, waitingMax: CAMERAS_MAX });

  /** null: the camera has no probe, and is judged by its pushes alone. */
  function askProbe(camera: CameraItem): Promise<ProbeAnswer> | null {
    const probe = drivers.get(camera.driver)?.probe ?? null;
    if (probe === null || camera.address === '') return null;
    return withinTime({ clock, ms: PROBE_TIMEOUT_MS, signal }, (within) => probe(camera, within));
  }

  return async (camera, sinceMonoMs) => {
    const { device_id } = camera;
    const isLatest = known.beginLook(device_id);
    const unserved = unservedReason(camera, drivers);
    if (unserved !== null) {
      known.setProblem(device_id, unserved);
      known.setPresence(device_id, OFFLINE_CAMERA);
      return;
    }
    // The probe comes first, so that a push during the probe counts too.
    const answer = await queue.run('', async () => askProbe(camera));
    // Since the probe began, the camera may have been removed, or given another driver.
    if (signal.aborted || !isLatest()) return;
    if (answer?.isThere === true && answer.condition === undefined) await checkLateness(camera, deps, signal);
    if (signal.aborted || !isLatest()) return;
    const { fault = null, presence } = known.get(device_id) ?? {};
    known.setProblem(device_id, answer?.problem ?? fault ?? shownProblem(camera, [...deps.cameras()], states));
    known.setCondition(device_id, answer?.isThere === true ? answer.condition : undefined);
    const isThere = answer?.isThere === true || states.pushedSince(device_id, sinceMonoMs);
    known.setPresence(device_id, decideCameraStatus(presence ?? UNKNOWN_CAMERA, isThere));
  };
}

/** A read that came late is no problem any more once the camera's clock is found to be right: it had waited, or the clock was set. */
async function checkLateness(
  camera: CameraItem,
  { clock, drivers, states, clockOk }: CameraProberDeps,
  signal: AbortSignal,
): Promise<void> {
  const ask = drivers.get(camera.driver)?.readClock;
  if (states.lateMs(camera.device_id) === null || ask === undefined || !clockOk()) return;
  const limit = { clock, ms: PROBE_TIMEOUT_MS, signal };
  const camera_ms = await withinTime(limit, (within) => ask(camera, within)).catch(() => null);
  if (camera_ms !== null && Math.abs(clock.now() - camera_ms) <= LATE_MS) states.forgetLate(camera.device_id);
}

/** Says whether a camera has not been found, nor missed often enough to be offline, although it is known why it cannot be reached. */
function isUnfound({ device_id }: CameraItem, known: KnownCameras): boolean {
  const { presence = null, problem = null } = known.get(device_id) ?? {};
  return presence !== null && presence.status === null && presence.misses > 0 && problem !== null;
}

/** Says whether a camera is new, or cannot be served for another reason than before. */
function isToBeLookedAt(camera: CameraItem, known: KnownCameras, drivers: CameraDrivers): boolean {
  const { presence = null, problem } = known.get(camera.device_id) ?? {};
  const unserved = unservedReason(camera, drivers);
  return presence === null || (unserved !== null && unserved !== problem);
}

/** Why a camera that can be served does not work as it should, judging by its pushes; null: they show no problem. */
function shownProblem(
  camera: CameraItem,
  all: readonly CameraItem[],
  states: CameraProberDeps['states'],
): string | null {
  const { device_id: deviceId, timezone } = camera;
  const refusal = states.refusal(deviceId);
  if (refusal !== null) return refusal;
  const late_ms = states.lateMs(deviceId);
  if (late_ms !== null) return lateProblem(late_ms);
  if (states.opensByItself(deviceId)) return OWN_LIST_PROBLEM;
  if (!isZoneKnown(timezone))
    return `this gateway does not know the time zone ${timezone}: times that the camera writes without an offset count as UTC`;
  return directionProblem(camera, all, states);
}

/** Two cameras of one product that look different ways see each vehicle twice, and only what they say of its movement tells which way it went. */
function directionProblem(
  camera: CameraItem,
  all: readonly CameraItem[],
  states: CameraProberDeps['states'],
): string | null {
  const isBlind = ({ device_id, direction_source }: CameraItem) =>
    direction_source === 'position' || states.lacksDirections(device_id);
  if (camera.product_device_id === null || !isBlind(camera)) return null;
  const other = all.find(
    ({ product_device_id, lpr_position }) =>
      product_device_id === camera.product_device_id && lpr_position !== camera.lpr_position,
  );
  if (other === undefined || !isBlind(other)) return null;
  return `directions are missing: neither this camera nor ${other.name} at the same product tells which way a vehicle moves, so what they see within 30 s counts as one passage; let them report directions (direction_source reported)`;
}

function lateProblem(late_ms: number): string {
  const seconds = Math.round(late_ms / 1_000);
  return `its last read came ${seconds} s after its capture, counts as of the past and opened nothing: it sent what had waited, or its clock is ${seconds} s behind; set its clock, best by a time server`;
}

/** null: nothing is known of the camera yet. */
function reportOf(
  { id, device_id }: CameraItem,
  cameras: KnownCameras,
  states: CameraProberDeps['states'],
): CameraReport | null {
  const { presence, problem = null, condition } = cameras.get(device_id) ?? {};
  const status = presence?.status ?? null;
  if (status === null) return null;
  const behind = states.clockBehindMs(device_id);
  return {
    lpr_camera_id: id,
    status,
    problem,
    ...(condition === undefined || status !== 'online' ? {} : { condition }),
    ...(behind === null ? {} : { clock_behind_ms: Math.round(behind) }),
  };
}
