/** The part of a site file that is simulated: what stands on the ground. */
import type { CAMERA_DIRECTIONS, PLATE_SIDES } from '../../shared/events/event-schemas.js';
import type { GatewayUuid, ProductDeviceId, ProductType } from '../../shared/ids.js';

export interface CarParkProduct {
  device_id: ProductDeviceId;
  name: string;
  type: ProductType;
  power_type: string;
  /** 32 bytes. */
  master_key: Uint8Array;
  /** Closing by itself; seconds 1..255. */
  autoclose: { on: boolean; seconds: number };
}

export interface CarParkCamera {
  device_id: string;
  name: string;
  driver: string;
  /** http://host:port where the camera answers; empty: nowhere. */
  address: string;
  username: string;
  password: string;
  push_key: string;
  /** IANA */
  timezone: string;
  lpr_position: (typeof CAMERA_DIRECTIONS)[number];
  plate_side: (typeof PLATE_SIDES)[number];
  /** The gateway the camera pushes to; null: the site file names none. */
  gateway_uuid: GatewayUuid | null;
}

export interface CarPark {
  gateways: { uuid: GatewayUuid; name: string }[];
  products: CarParkProduct[];
  cameras: CarParkCamera[];
}
