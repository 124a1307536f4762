/**
 * Fetches the pictures that a camera offers instead of sending them, after the decision. The address of a picture comes from a payload, and
 * is asked for only at the scheme, host and port of the camera's settings: no name in a payload is ever resolved.
 */
import { type Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { isJpeg } from '../formats/picture-parser.js';
import type { CameraClient } from './camera-client.js';
import { withinTime } from './within-time.js';

const FETCHES_AT_ONCE = 2;
const WAITING_MAX = 32;
const TIMEOUT_MS = 10_000;
const PICTURE_BYTES_MAX = 6 * 1024 * 1024;

/** Resolves with null when there is no picture at the address, or the address is not the camera's own. Never rejects. */
export type FetchPicture = (cameraDeviceId: string, address: string) => Promise<Uint8Array | null>;

/** The path and query of an address; null: the address is not the camera's own. */
export function ownPath(address: string, camera: Pick<CameraItem, 'address'>): string | null {
  if (!/^https?:/i.test(camera.address) || !URL.canParse(address, camera.address)) return null;
  const url = new URL(address, camera.address);
  const isOwn = url.origin === new URL(camera.address).origin && url.username === '' && url.password === '';
  return isOwn ? url.pathname + url.search : null;
}

export function createPictureFetcher(deps: {
  client: CameraClient;
  camera: (deviceId: string) => CameraItem | undefined;
  clock: Clock;
}): FetchPicture {
  const { client, clock } = deps;
  const queue = createSemaphore({
    name: 'pictures of cameras',
    permits: FETCHES_AT_ONCE,
    waitingMax: WAITING_MAX,
  });

  const fetchNow = (camera: CameraItem, path: string): Promise<Uint8Array | null> =>
    withinTime({ clock, ms: TIMEOUT_MS }, async (signal) => {
      const { status, body } = await client.ask(camera, { path, signal, bytesMax: PICTURE_BYTES_MAX });
      return status === 200 && isJpeg(body) ? body : null;
    });

  return async (cameraDeviceId, address) => {
    const camera = deps.camera(cameraDeviceId);
    const path = camera === undefined ? null : ownPath(address, camera);
    if (camera === undefined || path === null) return null;
    return queue.run('', () => fetchNow(camera, path)).catch(() => null);
  };
}
