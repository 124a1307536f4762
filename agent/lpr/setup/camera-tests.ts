/** Tests a camera for an installer: is the camera there, and how does the gateway decide on the next vehicle? */
import {
  askedRules,
  type AskedRule,
  type OtherOutcome,
  whatWouldChange,
} from '../../../shared/access/explain-access.js';
import type { Clock } from '../../../shared/clock.js';
import { cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraDrivers, CameraPictures, CameraRead, ProbeAnswer } from '../camera.js';
import { withinTime } from '../network/within-time.js';
import { isWholeJpeg, jpegSize } from '../pictures/jpeg.js';
import type { CameraStates } from '../presence/camera-states.js';
import type { ReadWatch, SeenRead } from '../reads/read-watch.js';

const PROBE_WITHIN_MS = 8_000;

export interface CameraProbed {
  device_id: string;
  driver: string;
  address: string;
  /** null: cameras of this driver cannot be probed; their reads show that they are there. */
  probe: ProbeAnswer | null;
}

export interface TestedPicture {
  bytes: number;
  /** In pixels; null: the picture does not say. */
  size: { width: number; height: number } | null;
  is_whole: boolean;
  /** The JPEG as base64. */
  base64: string;
}

export interface TestedRead
  extends Pick<
    CameraRead,
    'raw_plate' | 'confidence' | 'movement' | 'type' | 'make' | 'color' | 'model' | 'country_code' | 'retransmission'
  > {
  uid: string;
  candidates: NonNullable<CameraRead['candidates']>;
  is_history: boolean;
  /** How long after its capture the read came, when it counts as of the past only because of the camera's clock; else null. */
  late_ms: number | null;
  /** ISO 8601 in UTC. */
  event_at: string;
  /** How far the camera's clock is behind the gateway's; null: the read does not show it. */
  clock_behind_ms: number | null;
  pictures: { full: TestedPicture | null; plate: TestedPicture | null; full_address: string | null };
  /** null: the read is a sighting, on which nothing is decided, because no plate is usable or certain enough. */
  decision: {
    plate: string;
    direction: string;
    access_decision: string | null;
    access_decision_reason: string | null;
    /** The product that is opened; null: none. */
    opens: string | null;
    rules: AskedRule[];
    what_would_change: OtherOutcome[];
  } | null;
}

export interface CameraTests {
  /** Probes the camera. @throws Error that says what is wrong with its name or its settings */
  probe(deviceId: string): Promise<CameraProbed>;
  /** Waits for the next read of the camera. @throws Error when none comes in time */
  next(deviceId: string, options: { withinMs: number; signal?: AbortSignal }): Promise<TestedRead>;
}

export function createCameraTests(deps: {
  camera: (deviceId: string) => CameraItem | undefined;
  drivers: CameraDrivers;
  states: Pick<CameraStates, 'pushedSince'>;
  watch: ReadWatch;
  clock: Clock;
}): CameraTests {
  const { clock, drivers } = deps;

  function known(deviceId: string): CameraItem {
    const camera = deps.camera(deviceId);
    if (camera === undefined) throw new Error(`there is no camera ${deviceId}; parking-agent cameras list shows them`);
    if (!drivers.has(camera.driver)) throw new Error(`this agent has no driver ${camera.driver}`);
    const [setting] = cameraSettingProblems(camera.driver, camera);
    if (setting !== undefined) throw new Error(`its ${setting.field} ${setting.reason}`);
    return camera;
  }

  return {
    async probe(deviceId) {
      const camera = known(deviceId);
      const { device_id, driver, address } = camera;
      const probe = drivers.get(driver)?.probe ?? null;
      if (probe === null || address === '') return { device_id, driver, address, probe: null };
      const answer = await withinTime({ clock, ms: PROBE_WITHIN_MS }, (signal) => probe(camera, signal));
      return { device_id, driver, address, probe: answer };
    },
    async next(deviceId, options) {
      const camera = known(deviceId);
      const since_mono_ms = clock.monotonic();
      const seen = await deps.watch.next(camera.device_id, options);
      if (seen !== null) return testedRead(seen);
      const said = deps.states.pushedSince(camera.device_id, since_mono_ms)
        ? `it lives, but told of no vehicle; what could not be read shows: parking-agent cameras map ${camera.device_id}`
        : `it said nothing at all; ${missingPushText(camera)}`;
      throw new Error(`no vehicle was read within ${Math.round(options.withinMs / 1000)} s: ${said}`);
    },
  };
}

function missingPushText({ device_id, driver, push_key }: CameraItem): string {
  if (push_key === '') return 'has it power, and does its address lead to it?';
  return `it has to push to /lpr/${driver}/${device_id}/KEY of this gateway: parking-agent cameras setup ${device_id}`;
}

function testedRead({ uid, camera, read, time, decided }: SeenRead): TestedRead {
  const { raw_plate, confidence, movement, type, make, color, model, country_code, retransmission } = read;
  return {
    uid,
    raw_plate,
    confidence,
    movement,
    type,
    make,
    color,
    model,
    country_code,
    retransmission,
    candidates: read.candidates ?? [],
    is_history: read.history === true,
    late_ms: time.late_ms ?? null,
    event_at: new Date(time.event_ms).toISOString(),
    clock_behind_ms: time.camera_behind_ms,
    pictures: picturesOf(read.pictures),
    decision: decided === null ? null : decisionOf(camera, decided),
  };
}

function decisionOf(
  camera: CameraItem,
  { plate, direction, decision, trace, opening }: NonNullable<SeenRead['decided']>,
): TestedRead['decision'] {
  const { access_decision, access_decision_reason } = decision;
  return {
    plate,
    direction,
    access_decision,
    access_decision_reason,
    opens: opening === null ? null : camera.product_device_id,
    rules: askedRules(trace, decision),
    what_would_change: whatWouldChange(trace, decision),
  };
}

function picturesOf({ full, plate, full_address }: CameraPictures): TestedRead['pictures'] {
  return { full: pictureOf(full), plate: pictureOf(plate), full_address: full_address ?? null };
}

function pictureOf(jpeg: Uint8Array | null): TestedPicture | null {
  if (jpeg === null) return null;
  return {
    bytes: jpeg.length,
    size: jpegSize(jpeg),
    is_whole: isWholeJpeg(jpeg),
    base64: Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength).toString('base64'),
  };
}
