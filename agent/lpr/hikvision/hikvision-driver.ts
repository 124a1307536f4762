import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { createCameraClient } from '../network/camera-client.js';
import { createHttpProbe } from '../network/http-probe.js';
import { hikvisionPush } from './hikvision-push.js';
import { createHikvisionClock, createHikvisionSetup } from './hikvision-setup.js';
import { createHikvisionStream, hikvisionChannel } from './hikvision-stream.js';

const DEVICE_INFO = { vendor: 'Hikvision', path: '/ISAPI/System/deviceInfo', proof: /<(?:\w+:)?DeviceInfo\b/i };

/** Driver: Hikvision cameras. They post their reads, or the gateway listens to them; they answer ISAPI. */
export function createHikvisionDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createCameraClient(deps);
  return {
    push: hikvisionPush,
    probe: createHttpProbe(client, DEVICE_INFO),
    source: createHikvisionStream({ client, clock: deps.clock, random: deps.random }),
    channelOf: hikvisionChannel,
    readClock: createHikvisionClock(client),
    planSetup: createHikvisionSetup(client),
  };
}
