/** Port: a licence plate camera of any vendor. Drivers translate what a camera sends into these types. */
import type { Clock } from '../../shared/clock.js';
import type { CameraDriverName } from '../../shared/drivers/camera-driver-names.js';
import { cameraSettingProblems } from '../../shared/drivers/camera-drivers.js';
import type { Movement } from '../../shared/access/resolve-direction.js';
import type { VEHICLE_TYPES } from '../../shared/events/event-schemas.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import type { ImageRole } from '../../shared/uplink.js';
import type { CameraCondition } from '../../shared/uplink-reports.js';
import type { MultipartPart } from './formats/multipart-splitter.js';

export type VehicleType = (typeof VEHICLE_TYPES)[number];

/** A part of the full picture, as fractions of its width and height. It may lie outside the picture: it is as the camera wrote it. */
export interface PictureBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** JPEG bytes as the camera sent them; null when it sent none. */
export interface CameraPictures {
  full: Uint8Array | null;
  plate: Uint8Array | null;
  /** Where the plate is in the full picture. */
  plate_box: PictureBox | null;
  /** Where the camera offers a full picture that it did not send: fetched behind the decision, from the camera's own host only. Left out: nowhere. */
  full_address?: string;
  /** Those that come later for the same event: the camera says so, or they are still on their way. Left out: none do. */
  follow?: readonly ImageRole[];
}

/** Another reading of the same plate. `confidence` is 0..1. */
export interface PlateCandidate {
  raw_plate: string;
  confidence: number | null;
}

/** One vehicle as a camera saw it. Its texts may be of any length: `boundRead` cuts them before anything is decided. */
export interface CameraRead {
  /**
   * The vendor's own id of the event, which its repeats and refinements have too; null when the vendor has none. It need not be unique for
   * ever: minutes later the same id is of another vehicle.
   */
  vendor_event_id: string | null;
  /** Its id is of one vehicle for as long as that is in the picture, were it a day. Left out: for minutes. */
  tracked?: true;
  /** The plate as the camera wrote it, `reads/decide-plate.ts` decides whether it is one. */
  raw_plate: string;
  /** 0..1 */
  confidence: number | null;
  /** What else the camera thinks that the plate may be, where its vendor says so. */
  candidates?: readonly PlateCandidate[];
  /** By what a recorder names the channel that saw it. Left out: it came from a camera of its own. */
  channels?: readonly string[];
  movement: Movement;
  /** The time by the camera's clock; `offset_min` is the offset from UTC that it wrote, null for a time without one. */
  camera_time: { epoch_ms: number; offset_min: number | null } | null;
  /** The camera says that it sends this late, because it could not send before. */
  retransmission: boolean;
  /** It tells of the past (a camera's memory, a backlog): it is kept, and opens nothing however new it looks. Left out: it does not. */
  history?: boolean;
  /** The camera says that it let the vehicle through by its own list. Left out: it does not. */
  opened_by_itself?: true;
  /** It is taken for the past only because the camera's clock says so, which a clock that is behind would say too. Left out: it is not. */
  seems_late?: boolean;
  type: VehicleType | null;
  make: string | null;
  color: string | null;
  model: string | null;
  /** ISO 3166-1 alpha-2; null when it is not known. */
  country_code: string | null;
  pictures: CameraPictures;
}

/** What a camera posted. */
export interface CameraPush {
  contentType: string;
  body: Uint8Array;
  camera: Pick<CameraItem, 'timezone'> & Partial<Pick<CameraItem, 'device_id' | 'address' | 'password' | 'mapping'>>;
  /** What follows the push key in the address, such as `/NotificationInfo/KeepAlive`; left out: nothing. */
  path?: string;
  /** What follows the address behind `?`, with it; left out: nothing. */
  query?: string;
  /** Finds a header of the request. Left out: it has none. */
  header?: (name: string) => string | undefined;
}

/** `answer`: what this push is answered, where it depends on the push; left out: what the vendor expects to any. */
export type ParsedPush = (
  | {
      kind: 'read';
      read: CameraRead;
      /** Further vehicles in the same push. */
      more?: readonly CameraRead[];
    }
  | { kind: 'heartbeat' }
  /** An event that is no read of a plate. */
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string }
) & { answer?: PushAnswer };

/** The answer that a vendor expects to an accepted push. A push that cannot be parsed gets it too, or the camera would repeat it for ever. */
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
   * Reads the vehicle from the first part of a multipart push, while its pictures are on their way: a decision need not wait for them. The
   * read `follow`s with exactly the pictures that `parse` will find. null: it takes the whole push. Left out: it always does. Accepts any
   * bytes and never throws.
   */
  parseFirst?(part: MultipartPart, push: Pick<CameraPush, 'contentType' | 'camera'>): CameraRead | null;
  readonly accepted: PushAnswer;
  /** Its cameras say by GET that they live. */
  readonly takesGet?: true;
}

/** What a camera said where the gateway listens to it by itself. */
export interface SourceListener {
  /** Resolves when the read is kept, or cannot be: a source reads on when it has. Never rejects. */
  onRead(read: CameraRead): Promise<void>;
  /** A sign of life. */
  onAlive(): void;
  /** Something that should be a read and cannot be parsed. */
  onMalformed(malformed: { reason: string; contentType: string; body: Uint8Array }): void;
  /** Why the camera cannot be heard, for people; null: it is heard again. */
  onFault(reason: string | null): void;
}

export interface CameraSource {
  /** The listener hears nothing afterwards. Resolves when the connection is gone. Idempotent. */
  close(): Promise<void>;
}

/**
 * Listens to a camera that does not push: holds a stream or a subscription open, polls, or hears it at a broker. It does not call the
 * listener before it returns; a link that fails is a fault, never thrown, and made again with growing pauses. null: this camera pushes.
 */
export type OpenCameraSource = (camera: CameraItem, listener: SourceListener) => CameraSource | null;

/**
 * The outcome of a probe. A camera that answers, but refuses the gateway's account, is there, in the condition `auth`. `problem` is for
 * people.
 */
export type ProbeAnswer =
  | { isThere: true; problem: string | null; condition?: CameraCondition }
  | { isThere: false; problem: string };

/** The answer of a camera that does not let the gateway in. */
export const refusedProbe = (problem: string): ProbeAnswer => ({ isThere: true, problem, condition: 'auth' });

/** Asks a camera whether it is there. Never rejects; ends at the latest when the signal is aborted. */
export type CameraProbe = (camera: CameraItem, signal: AbortSignal) => Promise<ProbeAnswer>;

/**
 * A driver has one member for each way to its cameras, which is null when the vendor does not offer that way: what they push, whether
 * they are there, and what the gateway hears by itself. Further ways (to set a camera up) become further members.
 */
export interface CameraDriver {
  /** Its name in the list of drivers in `shared`. */
  readonly name: CameraDriverName;
  readonly push: PushReader | null;
  readonly probe: CameraProbe | null;
  /** Left out: its cameras only push. */
  readonly source?: OpenCameraSource;
  /** Left out: its cameras are set up by hand. */
  readonly planSetup?: PlanCameraSetup;
  /** Sends a change of its plans; left out: over HTTP with digest access. */
  readonly sendSetup?: SendSetup;
  /** The channel of a recorder that this camera is; null: it is a camera of its own. Left out: no recorder is known. */
  channelOf?(camera: Pick<CameraItem, 'address'>): string | null;
  /** Where its cameras post to a path of their own, in which no key fits: the camera is known by its address. */
  readonly fixedPath?: {
    prefix: string;
    /** Its cameras post nowhere else. */
    isOnly?: true;
    /** The cameras that are known at this address, of those that are configured. */
    camerasAt(remoteAddress: string, cameras: Iterable<CameraItem>): readonly string[];
    /** Which of the cameras at the address posted this; null: none of them. */
    cameraOf(push: Pick<CameraPush, 'contentType' | 'body' | 'path'>, among: readonly string[]): string | null;
  };
}

/** One request to a camera. */
export interface SetupRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  contentType: string;
  body: string;
  /** What the answer has to look like, as a regular expression, where the status does not say all. Left out: the status does. */
  expects?: string;
}

/** One thing that is changed at a camera, and how to change it back. */
export interface SetupChange {
  /** By which the setting is known again; left out: the path of its undo. */
  name?: string;
  /** For people: what it is, and what it becomes. */
  what: string;
  apply: SetupRequest;
  /** null: there is nothing to go back to, as from a clock that is right. */
  undo: SetupRequest | null;
}

export interface SetupPlan {
  changes: SetupChange[];
  /** What a person has to do, because the camera offers no way to do it. */
  byHand: string[];
  /** The plan says what becomes of the time server that was wished for. Left out: this driver knows no way to name one. */
  namesTimeServer?: true;
}

/**
 * Reads how a camera is set, and says what would make it work with this gateway. It changes nothing.
 * @param to.pushUrl where the camera is to push to
 * @param to.now_ms the gateway's time; null: it does not know the time
 * @param to.timeServer the host that its clock shall follow; null: nobody said
 * @throws Error when the camera cannot be asked, or does not let the gateway in
 */
export type PlanCameraSetup = (
  camera: CameraItem,
  to: { pushUrl: URL; now_ms: number | null; timeServer: string | null },
  signal: AbortSignal,
) => Promise<SetupPlan>;

/** Changes one thing at a camera. @throws Error that says why it did not take it */
export type SendSetup = (camera: CameraItem, request: SetupRequest, signal: AbortSignal) => Promise<void>;

/** What drivers need from outside. */
export interface CameraDriverDeps {
  clock: Clock;
  /** Returns so many random bytes as hex. */
  randomHex(bytes: number): string;
  /** Returns a number in [0, 1); left out: 0.5. */
  random?: () => number;
  /** By which a broker knows this gateway again. */
  gatewayUuid?: string;
  /** The port at which cameras reach this gateway, for those that are told where to push to; left out: none. */
  httpPort?: () => number;
}

/** The drivers by their names in the configuration. */
export type CameraDrivers = ReadonlyMap<string, CameraDriver>;

/** Why no driver of this gateway can serve the camera, for people; null: one can. */
export function unservedReason(camera: CameraItem, drivers: CameraDrivers): string | null {
  if (!drivers.has(camera.driver)) return `this agent has no driver ${camera.driver}`;
  const [setting] = cameraSettingProblems(camera.driver, camera);
  return setting === undefined ? null : `${setting.field} ${setting.reason}`;
}
