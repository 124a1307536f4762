/** Port: the differences between vendors of cameras. */
import type { SimCameraClock } from './camera-clock.js';
import type { Hono } from 'hono';
import type { VEHICLE_TYPES } from '../../../shared/events/event-schemas.js';
import type { CarParkCamera } from '../car-park.js';

/** One vehicle as a person at the control interface describes it. */
export interface VehicleRead {
  plate: string;
  /** Left out: the camera's own direction, by where it stands. */
  direction?: 'in' | 'out' | 'undefined' | undefined;
  /** 0..1 */
  confidence?: number | undefined;
  type?: (typeof VEHICLE_TYPES)[number] | undefined;
  make?: string | undefined;
  color?: string | undefined;
  /** ISO 3166, two letters. */
  country_code?: string | undefined;
}

export interface VehiclePictures {
  /** The colour the vehicle was drawn in. */
  color: string;
  /** JPEG of the scene. */
  scene: Buffer;
  /** JPEG of the plate alone. */
  plate: Buffer;
  /** Where the plate is in the scene, as fractions of its width and height. */
  plateBox: { x: number; y: number; width: number; height: number };
}

/** One event of a camera; it is sent again unchanged but for `retransmission`. */
export interface CameraEvent {
  /** The vendor's event id. */
  uuid: string;
  /** Wall milliseconds at the camera. */
  wallMs: number;
  read: VehicleRead;
  pictures: VehiclePictures;
}

export interface PushRequest {
  contentType: string;
  body: Buffer;
  /** The part that the vendor's cameras add to the address; left out: none. */
  path?: string;
  headers?: Record<string, string>;
}

/** The events of a camera, for whoever subscribes to them. */
export interface SeenEvents {
  /** Returns how to stop. */
  subscribe(hear: (event: CameraEvent) => void): () => void;
  /** Notes where the settings of the camera say that it pushes to; null: where it was configured to. Left out: nobody lets it push. */
  setPushAddress?(url: string | null): void;
}

export interface CameraVendor {
  /** Makes the camera's push to the agent; null: cameras of this vendor do not post by themselves. */
  encode: ((camera: CarParkCamera, event: CameraEvent, retransmission: boolean) => PushRequest) | null;
  /** The HTTP interface at the camera's own address. @param clock right when left out */
  createDevice(camera: CarParkCamera, seen: SeenEvents, clock?: SimCameraClock): Hono;
  /** The message that the camera publishes when its address is a broker; left out: its cameras use no broker. */
  publish?: (camera: CarParkCamera, event: CameraEvent) => { topic: string; payload: string };
}
