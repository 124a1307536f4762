/** Port: a licence plate camera of any vendor. Drivers translate what a camera sends into these types. */
import type { Clock } from '../../shared/clock.js';
import type { CameraDriverName } from '../../shared/drivers/camera-drivers.js';
import type { Movement } from '../../shared/access/resolve-direction.js';
import type { VEHICLE_TYPES } from '../../shared/events/event-schemas.js';
import type { CameraItem } from '../../shared/gateway-config.js';

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
}

/** One vehicle as a camera saw it. Its texts may be of any length: `boundRead` cuts them before anything is decided. */
export interface CameraRead {
  /** The vendor's own id of the event, which a repeat has too; null when the vendor has none. */
  vendor_event_id: string | null;
  /** The plate as the camera wrote it, `canonicalCameraPlate` decides whether it is one. */
  raw_plate: string;
  /** 0..1 */
  confidence: number | null;
  movement: Movement;
  /** The time by the camera's clock; `offset_min` is the offset from UTC that it wrote, null for a time without one. */
  camera_time: { epoch_ms: number; offset_min: number | null } | null;
  /** The camera says that it sends this late, because it could not send before. */
  retransmission: boolean;
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
  camera: Pick<CameraItem, 'timezone'>;
}

export type ParsedPush =
  | { kind: 'read'; read: CameraRead }
  | { kind: 'heartbeat' }
  /** An event that is no read of a plate. */
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string };

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
  readonly accepted: PushAnswer;
}

/** The outcome of a probe. A camera that answers, but refuses the gateway's account, is there. `problem` is for people. */
export type ProbeAnswer = { isThere: true; problem: string | null } | { isThere: false; problem: string };

/** Asks a camera whether it is there. Never rejects; ends at the latest when the signal is aborted. */
export type CameraProbe = (camera: CameraItem, signal: AbortSignal) => Promise<ProbeAnswer>;

/**
 * A driver has one member for each way to its cameras, which is null when the vendor does not offer that way. Further ways (to pull,
 * to hold a stream or a subscription open, to set a camera up) become further members.
 */
export interface CameraDriver {
  /** Its name in the list of drivers in `shared`. */
  readonly name: CameraDriverName;
  readonly push: PushReader | null;
  readonly probe: CameraProbe | null;
}

/** What drivers need from outside. */
export interface CameraDriverDeps {
  clock: Clock;
  /** Returns so many random bytes as hex. */
  randomHex(bytes: number): string;
}

/** The drivers by their names in the configuration. */
export type CameraDrivers = ReadonlyMap<string, CameraDriver>;
