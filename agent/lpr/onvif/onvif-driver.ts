import { type CameraDriver, type CameraDriverDeps, type CameraProbe, refusedProbe } from '../camera.js';
import { reasonOf } from '../network/camera-client.js';
import { CameraRefusal } from '../network/refused-accounts.js';
import { createOnvifClient, type OnvifClient } from './onvif-client.js';
import { createOnvifSetup } from './onvif-setup.js';
import { createOnvifSource } from './onvif-source.js';

/** Driver: any camera that reports its plates as ONVIF events. */
export function createOnvifDriver(deps: CameraDriverDeps): CameraDriver {
  const client = createOnvifClient(deps);
  return {
    name: 'onvif',
    push: null,
    probe: createOnvifProbe(client),
    source: createOnvifSource({ client, clock: deps.clock, random: deps.random ?? (() => 0.5) }),
    ...createOnvifSetup(client),
  };
}

function createOnvifProbe(client: OnvifClient): CameraProbe {
  return async (camera, signal) => {
    try {
      const session = await client.open(camera);
      try {
        await session.connect(signal);
        await session.checkAccount(signal);
        return { isThere: true, problem: null };
      } finally {
        session.close();
      }
    } catch (error) {
      const problem = reasonOf(error);
      return error instanceof CameraRefusal ? refusedProbe(problem) : { isThere: false, problem };
    }
  };
}
