import type { CarParkCamera } from '../../scripts/sim/car-park.js';

/** A Hikvision camera at an entry, without a reachable address or a password unless `change` gives them. */
export function entryCamera(change: Partial<CarParkCamera> = {}): CarParkCamera {
  return {
    device_id: 'cam-in-1',
    name: 'Entry camera',
    driver: 'hikvision',
    address: '',
    username: '',
    password: '',
    push_key: 'key',
    timezone: 'UTC',
    lpr_position: 'in',
    plate_side: 'front',
    gateway_uuid: null,
    ...change,
  };
}
