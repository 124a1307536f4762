import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { createCameraClient } from '../network/camera-client.js';
import { createHttpProbe } from '../network/http-probe.js';
import { createAxisPush } from './axis-push.js';
import { createAxisClock, createAxisSetup } from './axis-setup.js';

const BRAND = {
  vendor: 'Axis',
  path: '/axis-cgi/param.cgi?action=list&group=root.Brand',
  proof: /root\.Brand/,
};

/** Driver: Axis cameras with License Plate Verifier, and FF Group cameras, which post the same events. */
export function createAxisDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createCameraClient(deps);
  return {
    push: createAxisPush(),
    probe: createHttpProbe(client, BRAND),
    readClock: createAxisClock(client),
    planSetup: createAxisSetup(client),
  };
}
