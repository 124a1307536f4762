import type { CameraDriverName } from '../../shared/drivers/camera-driver-list.js';
import { ALL_CAMERAS } from '../../scripts/sim/cameras/all-cameras.js';
import { entryCamera } from '../world/entry-camera.js';
import { listenHttp } from '../../scripts/sim/http-listener.js';
import type { ProbedDevice } from './probed-device.js';

/** Returns how to start the simulator's device of a driver, with an account. It counts the requests that carry a password. */
export function startSimulated(driver: CameraDriverName) {
  return async (account: { username: string; password: string }): Promise<ProbedDevice> => {
    const vendor = ALL_CAMERAS[driver];
    if (vendor === undefined) throw new Error(`${driver} is not simulated`);
    const device = vendor.createDevice(entryCamera({ name: 'Camera', driver, ...account }), {
      subscribe: () => () => {},
    });
    let passwordsTried = 0;
    const listener = await listenHttp(
      async (request) => {
        const copy = request.clone();
        if (request.headers.has('authorization') || (await copy.text()).includes('PasswordDigest')) passwordsTried += 1;
        return device.fetch(request);
      },
      { host: '127.0.0.1', port: 0 },
    );
    return {
      address: `http://127.0.0.1:${listener.port}`,
      passwordsTried: () => passwordsTried,
      close: () => listener.close(),
    };
  };
}
