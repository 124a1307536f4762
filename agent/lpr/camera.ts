/** Port: a licence plate camera, whatever its vendor. Drivers turn what a camera sends into these words. */
import type { Movement } from '../../shared/access/resolve-direction.js';
import type { VEHICLE_TYPES } from '../../shared/events/event-schemas.js';
import type { CameraItem } from '../../shared/gateway-config.js';

export type VehicleType = (typeof VEHICLE_TYPES)[number];

/** A part of the full picture, as fractions of its width and height. As the camera says: it may lie outside. */
export interface PictureBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** JPEG bytes as the camera sent them; null where it sent none. */
export interface CameraPictures {
  full: Uint8Array | null;
  plate: Uint8Array | null;
  /** Where the plate is in the full picture. */
  plate_box: PictureBox | null;
}

/** One vehicle as a camera saw it. */
export interface CameraRead {
  /** The vendor's own id of the event: a repeat has the same. null where the vendor has none. */
  vendor_event_id: string | null;
  /** As the camera wrote it, at most 256 characters; `canonicalCameraPlate` tells whether it is a plate. */
  raw_plate: string;
  /** 0..1 */
  confidence: number | null;
  movement: Movement;
  /** The camera's clock; `offset_min` is the offset from UTC it wrote, null for a time without one. */
  camera_time: { epoch_ms: number; offset_min: number | null } | null;
  /** The camera says that it sends this late, after it could not be reached. */
  retransmission: boolean;
  type: VehicleType | null;
  make: string | null;
  color: string | null;
  model: string | null;
  /** ISO 3166-1 alpha-2 where it is known. */
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
  /** An event that is none of ours. */
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string };

/** How a vendor wants an accepted push to be answered; what cannot be parsed is answered alike, or it would come for ever. */
export interface PushAnswer {
  status: 200;
  contentType: string | null;
  body: string;
}

/** A driver of cameras that post their reads. `parse` never throws. */
export interface PushDriver {
  parse(push: CameraPush): ParsedPush;
  readonly accepted: PushAnswer;
}

/** What came of looking after a camera. One that answers, but refuses the gateway's account, is there. */
export type ProbeAnswer = { isThere: true; problem: string | null } | { isThere: false; problem: string };

/** Asks a camera whether it is there. Never rejects; ends at the latest when the signal is aborted. */
export type CameraProbe = (camera: CameraItem, signal: AbortSignal) => Promise<ProbeAnswer>;
