/**
 * What reads the sensors of the polling benchmark, in a process of its own: `hub PORTS STRIDE` is the gateway's own service with its driver
 * and its store, `bare` asks the same over plain sockets and looks at nothing. It answers each message with its processor time and how many
 * places it has read since the one before.
 */
import { connect } from 'node:net';
import { decideModbusReads } from '../../agent/sensor/modbus/decide-modbus-reads.js';
import { createModbusTcpDriver } from '../../agent/sensor/modbus/modbus-driver.js';
import { systemClock } from '../../shared/system-clock.js';
import { sensorItem, sensorPlace } from '../devices/sensor-item.js';
import { newFolder, processorMeter, serveParent } from './harness.js';
import { runSensorService } from './sensor-service.js';

const PLACES = 2_000;
const POLL_MS = 1_000;

export interface PollCost {
  cpuUs: number;
  places: number;
}

const [kind = 'hub', portList = '', strideText = '1'] = process.argv.slice(2);
const ports = portList.split(',').map(Number);
const stride = Number(strideText);
const perServer = PLACES / ports.length;
let places = 0;

const items = ports.map((port, server) =>
  sensorItem({
    id: server + 1,
    name: `Server ${server + 1}`,
    driver: 'modbus-tcp',
    address: `127.0.0.1:${port}`,
    unit: 1,
    poll_ms: POLL_MS,
    heartbeat_s: 30,
    register: { function: 3, base: 0, occupied: { mask: 1 }, sentinels: [] },
    places: Array.from({ length: perServer }, (_, index) =>
      sensorPlace(server * perServer + index + 1, { sensor: String(index * stride) }),
    ),
  }),
);

const runHub = (): Promise<void> =>
  runSensorService({
    directory: newFolder(),
    driver: createModbusTcpDriver({ clock: systemClock, random: Math.random }),
    items,
    onReadings: (readings) => (places += readings.length),
  });

/** The same requests each second, whose answers are only counted. */
function runBare(): void {
  const addresses = Array.from({ length: perServer }, (_, index) => index * stride);
  const reads = decideModbusReads({
    addresses,
    length: 1,
    countMax: 125,
    silentEvery: 100,
    faulty: new Map(),
    round: 0,
  });
  const requests = reads.map(({ start, count }, index) => {
    const request = Buffer.from([0, 0, 0, 0, 0, 6, 1, 3, 0, 0, 0, 0]);
    request.writeUInt16BE(index, 0);
    request.writeUInt16BE(start, 8);
    request.writeUInt16BE(count, 10);
    return { request, count };
  });
  for (const port of ports) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let next = 0;
    // One request at a time, as servers in the field want it.
    const ask = () => void (next < requests.length && socket.write(requests[next]?.request ?? ''));
    socket.on('data', () => {
      places += requests[next]?.count ?? 0;
      next += 1;
      ask();
    });
    setInterval(() => {
      next = 0;
      ask();
    }, POLL_MS);
  }
}

if (kind === 'bare') runBare();
else await runHub();
const cpuUs = processorMeter();
serveParent('ready', {
  answer() {
    const cost: PollCost = { cpuUs: cpuUs(), places };
    places = 0;
    return cost;
  },
});
