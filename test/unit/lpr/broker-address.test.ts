import { expect, it } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { FakeClock } from '../../world/fake-clock.js';
import { camera } from './plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

// The path is a serial number or a prefix that somebody typed: an error there would keep the gateway from its other cameras.
it.each(['frigate', 'zhenshi'] as const)(
  'listens at a broker whose address has a lone %% in its path: %s',
  async (driver) => {
    const drivers = createCameraDrivers(cameraDriverDeps(new FakeClock()));
    const faults: (string | null)[] = [];
    const source = drivers.get(driver)?.source?.(camera('cam', { driver, address: 'mqtt://127.0.0.1:9/50%' }), {
      onAlive() {},
      onRead: () => Promise.resolve(),
      onMalformed() {},
      onFault: (fault) => void faults.push(fault),
    });
    await expect.poll(() => faults).toEqual([expect.stringContaining('ECONNREFUSED')]);
    await source?.close();
  },
);
