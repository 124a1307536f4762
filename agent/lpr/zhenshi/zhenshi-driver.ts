import type { CameraDriver, CameraDriverDeps } from '../camera.js';
import { createCameraClient } from '../network/camera-client.js';
import { createZhenshiMessages } from './zhenshi-messages.js';
import { createZhenshiPage } from './zhenshi-page.js';
import { zhenshiPush } from './zhenshi-push.js';
import { createZhenshiSetup } from './zhenshi-setup.js';

/** Driver: Zhenshi (VZenith) cameras, which push over HTTP, or publish at a broker. */
export function createZhenshiDriver(deps: CameraDriverDeps): CameraDriver {
  const { clock, random, gatewayUuid } = deps;
  return {
    push: zhenshiPush,
    probe: null,
    source: createZhenshiMessages({ clock, random, gatewayUuid }),
    ...createZhenshiSetup(createZhenshiPage({ client: createCameraClient(deps), clock })),
  };
}
