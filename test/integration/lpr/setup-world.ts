/** A simulated camera of a vendor beside the setup of the gateway, which changes it over its own interface. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { createCameraClient } from '../../../agent/lpr/network/camera-client.js';
import { type CameraSetups, createCameraSetups } from '../../../agent/lpr/setup/camera-setups.js';
import type { Clock } from '../../../shared/clock.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createCameraClock } from '../../../scripts/sim/cameras/camera-clock.js';
import { ALL_CAMERAS } from '../../../scripts/sim/cameras/all-cameras.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';
import { entryCamera } from '../../world/entry-camera.js';

export const ACCOUNT = { username: 'admin', password: 'a secret' };
export const client = createCameraClient(cameraDriverDeps(systemClock));

/** Made anew for each test of the file. */
export function setupWorld() {
  let listener: HttpListener | null = null;
  const world = {
    /** Where the setup keeps how a camera was before. */
    folder: '',
    /** What the gateway knows of its camera. */
    item: camera('cam'),
    /** What the camera was asked. */
    asked: [] as string[],
    /** Answers instead of the camera. */
    instead: (() => null) as (request: Request) => Response | Promise<Response> | null,
    start,
    read: async (path: string): Promise<string> =>
      (await client.ask(world.item, { path, signal: new AbortController().signal })).body.toString(),
  };

  async function start(
    driver: string,
    account: Partial<typeof ACCOUNT> = ACCOUNT,
    limit: Clock = systemClock,
  ): Promise<CameraSetups> {
    await stop();
    const device = ALL_CAMERAS[driver]?.createDevice(
      entryCamera({ driver, timezone: 'Europe/Zagreb', ...account }),
      { subscribe: () => () => {} },
      // It is ten minutes behind until the setup sets it.
      createCameraClock(Date.now, -600_000),
    );
    if (device === undefined) throw new Error(`no camera of ${driver}`);
    listener = await listenHttp(
      (request) => {
        const { pathname, search } = new URL(request.url);
        world.asked.push(`${request.method} ${pathname} ${decodeURIComponent(search)}`);
        return world.instead(request) ?? device.fetch(request);
      },
      { host: '127.0.0.1', port: 0 },
    );
    world.item = camera('cam', { driver, address: `http://127.0.0.1:${listener.port}`, ...account });
    return createCameraSetups({
      onChanged() {},
      camera: (deviceId) => (deviceId === 'cam' ? world.item : undefined),
      drivers: createCameraDrivers(cameraDriverDeps(systemClock)),
      client,
      directory: world.folder,
      clock: limit,
      isClockKnown: () => true,
      httpPort: () => 8090,
    });
  }
  async function stop(): Promise<void> {
    await listener?.close();
    listener = null;
  }

  beforeEach(() => {
    world.folder = join(mkdtempSync(join(tmpdir(), 'setup-')), 'camera-setup');
    world.asked = [];
    world.instead = () => null;
  });
  afterEach(async () => {
    await stop();
    rmSync(join(world.folder, '..'), { recursive: true });
  });
  return world;
}
