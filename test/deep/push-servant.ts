/** A gateway's listener for pushes in a process of its own: it sends its port, and works until its parent goes. */
import { startLocalServer } from '../../agent/console/local-server.js';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import { createBodyBudget } from '../../agent/lpr/push/body-budget.js';
import { systemClock } from '../../shared/system-clock.js';
import { camera, plateWorld, pushListener } from '../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../world/camera-driver-deps.js';

const world = plateWorld({ cameras: Array.from({ length: 10 }, (_, at) => camera(`cam-${at}`)) });
const app = pushListener(world, {
  drivers: createCameraDrivers(cameraDriverDeps(systemClock)),
  quarantine: { add: () => Promise.resolve(true) },
  budget: createBodyBudget({ clock: systemClock }),
  clock: systemClock,
});
const { port } = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
process.send?.(port);
process.once('disconnect', () => process.exit(0));
