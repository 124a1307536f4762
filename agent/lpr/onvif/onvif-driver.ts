import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { probeBy } from '../network/http-probe.js';
import { createOnvifClient, withSession } from './onvif-client.js';
import { createOnvifSetup } from './onvif-setup.js';
import { createOnvifSource } from './onvif-source.js';

/** Driver: any camera that reports its plates as ONVIF events. */
export function createOnvifDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createOnvifClient(deps);
  return {
    name: 'onvif',
    push: null,
    probe: probeBy((camera, signal) =>
      withSession(client, camera, async (session) => {
        await session.connect(signal);
        await session.checkAccount(signal);
        return { isThere: true, problem: null };
      }),
    ),
    readClock: (camera, signal) =>
      withSession(client, camera, async (session) => (await session.readTime(signal)).camera_ms),
    source: createOnvifSource({ client, clock: deps.clock, random: deps.random ?? (() => 0.5) }),
    ...createOnvifSetup(client),
  };
}
