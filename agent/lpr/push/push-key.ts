/** Finds the camera that a push address names, by the key in the address. */
import { timingSafeEqual } from 'node:crypto';
import type { CameraItem } from '../../../shared/gateway-config.js';

type FindCamera = (deviceId: string) => CameraItem | undefined;

/** The camera whose push address a path begins with, key and all; null: there is none. */
export function cameraOfAddress(path: string, camera: FindCamera): CameraItem | null {
  const [driver = '', deviceId = '', key = ''] = /^\/lpr\/([^/]+)\/([^/]+)\/([^/?]+)/.exec(path)?.slice(1) ?? [];
  return cameraByKey({ driver, deviceId, key }, camera);
}

/** The camera with this name, driver and key; null: there is none, or it has no key. */
export function cameraByKey(
  { driver, deviceId, key }: { driver: string; deviceId: string; key: string },
  camera: FindCamera,
): CameraItem | null {
  const known = camera(deviceId);
  // The keys are compared even for a camera that does not exist, so that the time of the answer does not show which cameras exist.
  const isKeyRight = sameSecret(key, known?.push_key ?? '');
  return known !== undefined && isKeyRight && known.push_key !== '' && known.driver === driver ? known : null;
}

/** No key is longer: 200 characters, of at most four bytes each. */
const KEY_BYTES_MAX = 800;

/** Compares in constant time, also texts of different lengths. */
function sameSecret(given: string, expected: string): boolean {
  const isSame = timingSafeEqual(padded(given), padded(expected));
  return isSame && given.length === expected.length && Buffer.byteLength(given) <= KEY_BYTES_MAX;
}

function padded(text: string): Buffer {
  const bytes = Buffer.alloc(KEY_BYTES_MAX);
  bytes.write(text);
  return bytes;
}
