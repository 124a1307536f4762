/**
 * A gateway's listener for pushes in a process of its own, with the quarantine of a gateway in the folder that it is given: it sends its port,
 * and works until its parent goes.
 */
import { startLocalServer } from '../../agent/console/local-server.js';
import { createBodyBudget } from '../../agent/lpr/push/body-budget.js';
import { createQuarantine } from '../../agent/lpr/push/quarantine.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { camera } from '../unit/lpr/plate-world.js';
import { pushWorld } from '../unit/lpr/push-world.js';

const [directory = ''] = process.argv.slice(2);
const { app } = pushWorld(
  { cameras: Array.from({ length: 10 }, (_, at) => camera(`cam-${at}`)) },
  {
    budget: createBodyBudget({ clock: systemClock }),
    quarantine: createQuarantine({ directory, clock: systemClock, logger: silentLogger }),
    clock: systemClock,
  },
);
const { port } = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
process.send?.(port);
process.once('disconnect', () => process.exit(0));
