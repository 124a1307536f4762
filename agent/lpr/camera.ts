/** Port: a licence plate camera of any vendor. Drivers translate what a camera sends into these types. */
import type { Clock } from '../../shared/clock.js';
import { cameraSettingProblems } from '../../shared/drivers/camera-drivers.js';
import type { Movement } from '../../shared/access/resolve-direction.js';
import type { VEHICLE_TYPES } from '../../shared/events/event-schemas.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import type { ImageRole } from '../../shared/uplink.js';
import type { CameraCondition } from '../../shared/uplink-reports.js';
import type { CameraTime } from './formats/camera-time-parser.js';
import type { MultipartPart } from './formats/multipart-splitter.js';

export type VehicleType = (typeof VEHICLE_TYPES)[number];

/**
 * A part of the full picture, as fractions of its width and height. The box may lie outside the picture, because it is kept as the camera
 * wrote it.
 */
export interface PictureBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** JPEG bytes as the camera sent them; null: it sent none. */
export interface CameraPictures {
  full: Uint8Array | null;
  plate: Uint8Array | null;
  /** Where the plate is in the full picture. */
  plate_box: PictureBox | null;
  /**
   * The address of a full picture that the camera offers instead of sending it. It is fetched after the decision, from the camera's own
   * host only. Left out: the camera offers none.
   */
  full_address?: string;
  /** The pictures that come later for the same event, as the camera announces or because they are still arriving. Left out: none do. */
  follow?: readonly ImageRole[];
}

/** Another reading of the same plate. `confidence` is 0..1. */
export interface PlateCandidate {
  raw_plate: string;
  confidence: number | null;
}

/** One vehicle as a camera saw it. Its texts may have any length: `boundRead` cuts them before anything is decided. */
export interface CameraRead {
  /**
   * The vendor's own id of the event. Repeats and refinements of the event have the same id; null: the vendor has none. Minutes later a
   * camera may use the id again for another vehicle.
   */
  vendor_event_id: string | null;
  /**
   * The id stands for one vehicle for as long as that vehicle is in the picture, even for a day. Left out: the id stands for one vehicle
   * for minutes only.
   */
  tracked?: true;
  /** The plate as the camera wrote it. `reads/decide-plate.ts` decides whether it is a plate. */
  raw_plate: string;
  /** 0..1 */
  confidence: number | null;
  /** Other readings of the plate, where the vendor sends them. */
  candidates?: readonly PlateCandidate[];
  /** The names that a recorder gives to the channel that saw the vehicle. Left out: the camera stands for itself. */
  channels?: readonly string[];
  movement: Movement;
  /**
   * The time by the camera's clock; null: the camera wrote none.
   */
  camera_time: CameraTime | null;
  /** The camera says that it sends this read late, because it could not send it before. */
  retransmission: boolean;
  /**
   * The read is of the past (from a camera's memory or a backlog): it is recorded, but opens nothing, whatever its time is. Left out: it is
   * of the present.
   */
  history?: boolean;
  /** The camera says that it let the vehicle through by its own list. Left out: it does not say so. */
  opened_by_itself?: true;
  type: VehicleType | null;
  make: string | null;
  color: string | null;
  model: string | null;
  /** ISO 3166-1 alpha-2; null when it is not known. */
  country_code: string | null;
  pictures: CameraPictures;
}

/** A message that a camera posted. */
export interface CameraPush {
  contentType: string;
  body: Uint8Array;
  camera: Pick<CameraItem, 'timezone'> & Partial<Pick<CameraItem, 'device_id' | 'address' | 'password' | 'mapping'>>;
  /** The rest of the address after the push key, such as `/NotificationInfo/KeepAlive`; left out: nothing. */
  path?: string;
  /** The query of the address, with its `?`; left out: nothing. */
  query?: string;
  /** Finds a header of the request. Left out: it has none. */
  header?: (name: string) => string | undefined;
}

/** `answer`: the answer to this push, where it depends on the push. Left out: the answer that the vendor expects to any push. */
export type ParsedPush = (
  | {
      kind: 'read';
      read: CameraRead;
      /** Further vehicles in the same push. */
      more?: readonly CameraRead[];
    }
  | { kind: 'heartbeat' }
  /** An event of another kind than a read of a plate. */
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string }
) & { answer?: PushAnswer };

/**
 * The answer that a vendor expects to an accepted push. A push that cannot be parsed gets it too; otherwise the camera would repeat that
 * push for ever.
 */
export interface PushAnswer {
  status: 200;
  contentType: string | null;
  body: string;
}

/** Parses what the cameras of a vendor post. */
export interface PushReader {
  /** Accepts any bytes and never throws. */
  parse(push: CameraPush): ParsedPush;
  /**
   * Reads the vehicle from the first part of a multipart push, while its pictures are still arriving, so that the decision need not wait
   * for them. `follow` of the read names exactly the pictures that `parse` will find. Accepts any bytes and never throws. null: the whole
   * push is needed. Left out: it always is.
   */
  parseFirst?(part: MultipartPart, push: Pick<CameraPush, 'contentType' | 'camera'>): CameraRead | null;
  readonly accepted: PushAnswer;
  /** The cameras also send signs of life by GET. */
  readonly acceptsGet?: true;
}

/** Hears what the gateway reads from a camera that does not push. */
export interface SourceListener {
  /** Resolves when the read is stored, or cannot be stored: the source waits for that before it reads on. Never rejects. */
  onRead(read: CameraRead): Promise<void>;
  /** A sign of life. */
  onAlive(): void;
  /** Something that should be a read and cannot be parsed. */
  onMalformed(malformed: { reason: string; contentType: string; body: Uint8Array }): void;
  /** Takes the reason why the camera cannot be heard, for people; null: it is heard again. */
  onFault(reason: string | null): void;
}

export interface CameraSource {
  /** The listener hears nothing afterwards. Resolves when the connection is gone. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens to a camera that does not push: by a stream, a subscription, polling, or a broker. It does not call the listener before it
 * returns. A link that fails is reported as a fault, never thrown, and made again with growing pauses. null: this camera pushes.
 */
export type OpenCameraSource = (camera: CameraItem, listener: SourceListener) => CameraSource | null;

/**
 * Why an answer is none of a camera of this driver. `stranger`: something else answers well; `no_interface`: the request of the driver is
 * not known there; `redirects`: to an address that is not the camera's in its settings.
 */
export type ProbeFault = { kind: 'stranger' | 'no_interface'; answer: string } | { kind: 'redirects'; to: string };

/**
 * The outcome of a probe. `problem` is for people. A camera that answers but refuses the gateway's account counts as there, in the
 * condition `auth`. `isUnproven`: anything could have answered so, as cameras of this driver have no request of their own.
 */
export type ProbeAnswer =
  | { isThere: true; problem: string | null; condition?: CameraCondition; fault?: ProbeFault; isUnproven?: true }
  | { isThere: false; problem: string };

/** The outcome for a camera that refuses the gateway. */
export const refusedProbe = (problem: string): ProbeAnswer => ({ isThere: true, problem, condition: 'auth' });

/** Asks a camera whether it is there. Never rejects; ends at the latest when the signal is aborted. */
export type CameraProbe = (camera: CameraItem, signal: AbortSignal) => Promise<ProbeAnswer>;

/**
 * A driver has one member for each way to its cameras: their pushes, the probe, and what the gateway hears when it listens. A member is
 * null or left out where the vendor does not offer that way. Further ways become further members.
 */
export interface CameraDriver {
  readonly push: PushReader | null;
  readonly probe: CameraProbe | null;
  /** Left out: its cameras only push. */
  readonly source?: OpenCameraSource;
  /**
   * Asks a camera for the time by its clock, in milliseconds since 1970; null: it does not say. Rejects when it does not answer. Left out: its
   * cameras cannot be asked.
   */
  readonly readClock?: (camera: CameraItem, signal: AbortSignal) => Promise<number | null>;
  /** Left out: its cameras are set up by hand. */
  readonly planSetup?: PlanCameraSetup;
  /** Sends one request of its plans. Left out: the request is sent over HTTP with digest access. */
  readonly sendSetup?: SendSetup;
  /**
   * The channel of a recorder that this camera is; null: the camera stands for itself. Left out: the vendor's recorders are not supported.
   */
  channelOf?(camera: Pick<CameraItem, 'address'>): string | null;
  /** For cameras that post to a fixed path of their own, in which no key fits. */
  readonly fixedPath?: {
    prefix: string;
    /** The cameras post nowhere else. */
    isOnly?: true;
    /**
     * Whether the beginning of a push has the name of one of these cameras, which is its key: without it a push is refused. Left out: only
     * a camera with `push_without_key` is heard here, and known by its address.
     */
    isNamedIn?(beginning: Uint8Array, among: readonly Pick<CameraItem, 'device_id' | 'push_without_key'>[]): boolean;
    /** The device_ids of the configured cameras that are known at this address. */
    camerasAt(remoteAddress: string, cameras: Iterable<CameraItem>): readonly string[];
    /** Which of the cameras at the address posted this; null: none of them. */
    cameraOf(
      push: Pick<CameraPush, 'contentType' | 'body' | 'path'>,
      among: readonly Pick<CameraItem, 'device_id' | 'push_without_key'>[],
    ): string | null;
  };
}

/** One request to a camera. */
export interface SetupRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  contentType: string;
  body: string;
  /** A regular expression that the answer has to match, where its status does not say everything. Left out: the status alone counts. */
  expects?: string;
}

/** One setting that is changed at a camera, and how to change it back. */
export interface SetupChange {
  /** Identifies the setting among those that are kept for an undo. Left out: the path of the undo does. */
  name?: string;
  /** The setting and its new value, for people. */
  what: string;
  apply: SetupRequest;
  /** null: the change is not taken back. A wrong clock, for example, is not restored. */
  undo: SetupRequest | null;
}

export interface SetupPlan {
  changes: SetupChange[];
  /** The steps that are left to a person, because the camera offers no request for them. */
  byHand: string[];
  /** The plan covers the time server that a person wished for. Left out: this driver cannot set one. */
  namesTimeServer?: true;
}

/**
 * Reads the settings of a camera, and plans what would make it work with this gateway. It changes nothing.
 * @param to.pushUrl where the camera is to push to
 * @param to.now_ms the gateway's time; null: the gateway does not know the time
 * @param to.timeServer the host that the camera's clock shall follow; null: none was named
 * @throws Error when the camera cannot be asked, or refuses the gateway
 */
export type PlanCameraSetup = (
  camera: CameraItem,
  to: { pushUrl: URL; now_ms: number | null; timeServer: string | null },
  signal: AbortSignal,
) => Promise<SetupPlan>;

/** Changes one setting of a camera. @throws Error that says why the camera did not take the change */
export type SendSetup = (camera: CameraItem, request: SetupRequest, signal: AbortSignal) => Promise<void>;

/** The parts that drivers need from outside. */
export interface CameraDriverDeps {
  clock: Clock;
  /** Returns so many random bytes as hex. */
  randomHex(bytes: number): string;
  /** Returns a number in [0, 1). */
  random: () => number;
  /** The cameras that offered SHA-256, shared by all clients of cameras. */
  seenSha256: Set<string>;
  /** Identifies this gateway to a broker. */
  gatewayUuid: string;
  /** The TCP port at which cameras reach this gateway, for cameras that are told where to push to. */
  httpPort: () => number;
}

/** The drivers by their names in the configuration. */
export type CameraDrivers = ReadonlyMap<string, CameraDriver>;

/** Why no driver of this gateway can serve the camera, for people; null: one can. */
export function unservedReason(camera: CameraItem, drivers: CameraDrivers): string | null {
  if (!drivers.has(camera.driver)) return `this agent has no driver ${camera.driver}`;
  const [setting] = cameraSettingProblems(camera.driver, camera);
  return setting === undefined ? null : `${setting.field} ${setting.reason}`;
}
