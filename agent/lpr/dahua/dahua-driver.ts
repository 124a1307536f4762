import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { createCameraClient } from '../network/camera-client.js';
import { createHttpProbe } from '../network/http-probe.js';
import { dahuaFixedPath } from './dahua-fixed-path.js';
import { dahuaPush } from './dahua-push.js';
import { createDahuaSetup } from './dahua-setup.js';
import { createDahuaStream } from './dahua-stream.js';

const SYSTEM_INFO = '/cgi-bin/magicBox.cgi?action=getSystemInfo';

/** Driver: Dahua cameras, which push by ITSAPI or have their streams listened to. */
export function createDahuaDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createCameraClient(deps);
  return {
    name: 'dahua',
    push: dahuaPush,
    probe: createHttpProbe(client, SYSTEM_INFO),
    source: createDahuaStream({ client, clock: deps.clock, random: deps.random ?? (() => 0.5) }),
    planSetup: createDahuaSetup(client),
    fixedPath: dahuaFixedPath,
  };
}
