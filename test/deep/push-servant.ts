/** A gateway's listener for pushes in a process of its own: it sends its port, and works until its parent goes. */
import { startLocalServer } from '../../agent/console/local-server.js';
import { createCameraDrivers } from '../../agent/lpr/camera-drivers.js';
import { createBodyBudget } from '../../agent/lpr/push/body-budget.js';
import { createPushListener } from '../../agent/lpr/push/push-listener.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { camera, plateWorld } from '../unit/lpr/plate-world.js';

const world = plateWorld({ cameras: Array.from({ length: 10 }, (_, at) => camera(`cam-${at}`)) });
const app = createPushListener({
  drivers: createCameraDrivers({ clock: systemClock, randomHex: () => '' }),
  camera: world.rules.camera,
  plateReads: world.reads,
  quarantine: { add: () => Promise.resolve(true) },
  states: world.states,
  budget: createBodyBudget({ clock: systemClock }),
  onAuthorized: () => {},
  clock: systemClock,
  logger: silentLogger,
});
const { port } = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
process.send?.(port);
process.once('disconnect', () => process.exit(0));
