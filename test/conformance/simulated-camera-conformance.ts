/** What every camera driver promises of the simulator's camera of its vendor, over real sockets. */
import { randomUUID } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { type LocalServer, startLocalServer } from '../../agent/console/local-server.js';
import type { CameraDriver, CameraRead } from '../../agent/lpr/camera.js';
import { createCameraStates } from '../../agent/lpr/presence/camera-states.js';
import { createBodyBudget } from '../../agent/lpr/push/body-budget.js';
import { createThreadShare } from '../../agent/lpr/push/thread-share.js';
import { type CameraSources, createCameraSources } from '../../agent/lpr/sources/camera-sources.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { runs } from '../depth.js';
import { ALL_CAMERAS } from '../../scripts/sim/cameras/all-cameras.js';
import { type SimCamera, startCamera } from '../../scripts/sim/cameras/camera.js';
import { pushWorld } from '../unit/lpr/push-world.js';
import { entryCamera } from '../world/entry-camera.js';
import { createVehiclePictures } from '../../scripts/sim/cameras/vehicle-pictures.js';
import { createSimBrokers } from '../../scripts/sim/sensors/sim-brokers.js';
import { freePorts } from '../world/free-ports.js';
import { provedIn } from './camera-results.js';

const KEY = 'right-key';
const ACCOUNT = { username: 'admin', password: 'a secret of the camera' };

/** The port at which cameras that are told where to push reach the gateway: the driver is made before the port is known. */
export const gatewayPort = { now: 0 };

export interface SimulatedCamera {
  isHeard: boolean;
  /** At a broker; left out: its own HTTP address. */
  address?: (port: number) => string;
  /** Left out: it says which way the vehicle moves. */
  saysDirection?: boolean;
  /** It is only by its renewals that the gateway knows that it has gone: tried in the deep tier. */
  isMissedLate?: boolean;
}

export function simulatedConformance(
  {
    isHeard,
    address = (port) => `http://127.0.0.1:${port}`,
    saysDirection = true,
    isMissedLate = false,
  }: SimulatedCamera,
  of: { name: string; driver: () => CameraDriver; item: (change: Partial<CameraItem>) => CameraItem },
): void {
  describe(isHeard ? 'the simulated camera that is listened to' : 'the simulated camera that pushes', () => {
    const it = provedIn(of.name);
    const drawVehicle = createVehiclePictures();
    let server: LocalServer;
    let camera: SimCamera;
    let sources: CameraSources;
    let heard: CameraRead[];
    let faults: (string | null)[];
    let brokers: ReturnType<typeof createSimBrokers>;

    beforeEach(async () => {
      heard = [];
      faults = [];
      brokers = createSimBrokers();
      const [port = 0] = await freePorts(1);
      const settings = { address: address(port), push_key: isHeard ? '' : KEY, timezone: 'Europe/Zagreb', ...ACCOUNT };
      const item = of.item(settings);
      const drivers = new Map([[item.driver, of.driver()]]);
      const states = createCameraStates(systemClock);
      const quarantine = {
        add: ({ reason }: { reason: string }) => Promise.reject(new Error(`put aside: ${reason}`)),
      };
      const plateReads = {
        async handle(_deviceId: string, read: CameraRead) {
          // What is read before its pictures have come is told again with them.
          if (read.pictures.follow === undefined) heard.push(read);
          return 'stored' as const;
        },
      };
      const shared = { drivers, plateReads, quarantine, states, clock: systemClock, logger: silentLogger };
      const { app } = pushWorld(
        {},
        {
          ...shared,
          camera: (deviceId) => (deviceId === 'cam' ? item : undefined),
          budget: createBodyBudget({ clock: systemClock }),
          share: createThreadShare({ clock: systemClock }),
          remoteAddress: (push) => getConnInfo(push).remote.address ?? '',
        },
      );
      server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
      gatewayPort.now = server.port;
      const config = entryCamera({ device_id: 'cam', name: 'Camera', driver: item.driver, ...settings });
      camera = await startCamera(config, {
        vendor: ALL_CAMERAS[item.driver],
        drawVehicle,
        agentUrl: () => `http://127.0.0.1:${server.port}`,
        brokers,
        clock: systemClock,
        newUuid: randomUUID,
        logger: silentLogger,
      });
      sources = createCameraSources({ ...shared, cameras: () => [item], onFault: (_, reason) => faults.push(reason) });
      if (isHeard) await expect.poll(() => faults.at(-1)).toBe(null);
    });
    afterEach(async () => {
      await sources.close();
      await camera.close();
      await server.close();
      await brokers.close();
    });

    it(isHeard ? 'is heard' : 'simulated push', 'is read as it saw the vehicle', async () => {
      await expect
        .poll(() => camera.read({ plate: 'ZG4821AB', confidence: 0.9, direction: 'in' }))
        .toEqual({
          outcome: 'answered',
          status: 200,
        });
      await expect.poll(() => heard.length).toBeGreaterThan(0);
      const [read] = heard;
      expect(read?.raw_plate.toUpperCase()).toBe('ZG4821AB');
      expect(read?.history ?? false).toBe(false);
      expect(read?.confidence ?? 0.9).toBeCloseTo(0.9, 2);
      expect(read?.movement).toBe(saysDirection ? 'towards' : 'absent');
      const { full = null } = read?.pictures ?? {};
      if (full !== null) expect([full[0], full[1], full.at(-2), full.at(-1)]).toEqual([0xff, 0xd8, 0xff, 0xd9]);
      expect(Math.abs((read?.camera_time?.epoch_ms ?? 0) - Date.now())).toBeLessThan(60_000);
    });

    it(isHeard ? 'is heard' : 'simulated push', 'is read vehicle by vehicle, in their order', async () => {
      const plates = Array.from({ length: 12 }, (_, index) => `ZG${1000 + index}AB`);
      for (const plate of plates) await camera.read({ plate });
      await expect.poll(() => heard.map(({ raw_plate }) => raw_plate.toUpperCase())).toEqual(plates);
      expect(new Set(heard.map(({ vendor_event_id }) => vendor_event_id)).size).toBe(plates.length);
    });

    if (!isHeard || address(1).startsWith('mqtt') || (isMissedLate && runs(1) === 1)) return;
    it('heard again', 'is heard again when it was gone', async () => {
      await camera.setOnline(false);
      // What is asked again every 30 s only is missed at the next time.
      await expect.poll(() => faults.at(-1), { timeout: 90_000 }).toMatch(/\w/);
      await camera.setOnline(true);
      await expect.poll(() => faults.at(-1)).toBe(null);
      await camera.read({ plate: 'ZG4821AB' });
      await expect.poll(() => heard.map(({ raw_plate }) => raw_plate)).toContain('ZG4821AB');
    });
  });
}
