import type { CarParkCamera } from '../sim/car-park.js';

/** A camera at an entry, as far as what it pushes depends on it. */
export function benchCamera(deviceId: string): CarParkCamera {
  return {
    device_id: deviceId,
    name: 'Camera',
    driver: 'hikvision',
    address: 'http://127.0.0.1:1',
    username: '',
    password: '',
    push_key: 'key',
    timezone: 'UTC',
    lpr_position: 'in',
    plate_side: 'front',
    gateway_uuid: null,
  } as unknown as CarParkCamera;
}
