/**
 * The Modbus servers of the polling benchmark, in a process of their own: `PORTS STRIDE`. One place in fifty changes each second. The
 * registers of places stand side by side, or with gaps between them.
 */
import { systemClock } from '../../shared/system-clock.js';
import { serveParent } from './harness.js';
import { serveModbus } from '../../scripts/sim/sensors/modbus-server.js';

const CHANGE_EVERY_MS = 1_000;
const CHANGING_SHARE = 50;

const [count = '20'] = process.argv.slice(2);
let turn = 0;
const ports: number[] = [];
for (let index = 0; index < Number(count); index++) {
  const server = await serveModbus({
    host: '127.0.0.1',
    port: 0,
    unit: 1,
    clock: systemClock,
    read: (_code, address) => Number((address + turn) % CHANGING_SHARE === 0),
  });
  // What was asked is kept for tests.
  setInterval(() => server.requests.splice(0), CHANGE_EVERY_MS);
  ports.push(server.port);
}
setInterval(() => (turn += 1), CHANGE_EVERY_MS);
serveParent(ports);
