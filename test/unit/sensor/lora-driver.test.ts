import { type EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOffRadio } from '../../../agent/product/off-radio.js';
import { createChirpstackDriver, createTtnDriver } from '../../../agent/sensor/lora/lora-driver.js';
import { createSensorPushes } from '../../../agent/sensor/sensor-pushes.js';
import type { SensorSource } from '../../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { systemClock } from '../../../shared/system-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let server: Server;
let sockets: Socket[];
let seen: { username: string | undefined; password: string | undefined }[];
let source: SensorSource | null;
let faults: (string | null)[];
/** The topics that the broker was asked for, and what it does with those of signs of life. */
let asked: string[];
let signs: 'grant' | 'refuse' | 'hang up';
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(async () => {
  sockets = [];
  seen = [];
  asked = [];
  signs = 'grant';
  faults = [];
  source = null;
  unhandled.length = 0;
  (process as EventEmitter).on('unhandledRejection', note);
  const broker = await Aedes.createBroker();
  broker.authenticate = (_client, username, password, done) => {
    seen.push({ username, password: password?.toString() });
    done(null, true);
  };
  broker.authorizeSubscribe = (client, subscription, done) => {
    asked.push(subscription.topic);
    const isRefused = signs !== 'grant' && !subscription.topic.endsWith('/up');
    if (isRefused && signs === 'hang up') client?.conn.destroy();
    done(null, isRefused ? null : subscription);
  };
  server = createServer((socket) => {
    sockets.push(socket);
    broker.handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await source?.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  (process as EventEmitter).off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const portOf = () => (server.address() as AddressInfo).port;

function open(address: string, driver: 'chirpstack' | 'ttn' = 'chirpstack'): void {
  const item: SensorItem = {
    id: 1,
    name: 'LoRa',
    driver,
    address,
    unit: null,
    poll_ms: 1_000,
    heartbeat_s: 10_800,
    register: null,
    application: null,
    places: [
      {
        id: 1,
        zone_id: 1,
        name: 'A1',
        sensor: '647fda000000a001',
        codec: 'bosch-tps110',
        occupied_below_mm: null,
        hysteresis_mm: null,
      },
    ],
  };
  const options = {
    clock: systemClock,
    random: () => 0,
    gatewayUuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
    pushes: createSensorPushes(),
    radio: createOffRadio(),
  };
  source = { chirpstack: createChirpstackDriver, ttn: createTtnDriver }[driver](options).open(item, {
    onReadings: () => {},
    onFault: (reason) => faults.push(reason),
    occupancyOf: () => null,
  });
}

describe('the address of a LoRa broker', () => {
  it.each(['chirpstack', 'ttn'] as const)('may hold a password with a percent sign for %s', async (driver) => {
    open(`mqtt://gw%40home:50%off@127.0.0.1:${portOf()}`, driver);
    await waitUntil('the link', () => faults.includes(null));
    expect(seen).toEqual([{ username: 'gw@home', password: '50%off' }]);
  });

  it.each([
    ['mqtts://127.0.0.1:9?ca=/nowhere/broker.pem', 'ca /nowhere/broker.pem cannot be read: ENOENT'],
    ['mqtts://127.0.0.1:9?ca=/etc/passwd', 'ca must be the path of a .pem or .crt file'],
    ['mqtt://127.0.0.1:9?ca=/nowhere/broker.pem', 'ca is only for an address with mqtts://'],
  ])('%s is a fault, and nothing else', async (address, reason) => {
    open(address);
    await waitUntil('the fault', () => faults.length > 0);
    expect(faults[0]).toBe(`127.0.0.1:9: ${reason}`);
  });
});

describe('a broker', () => {
  it.each([
    ['chirpstack', ['application/+/device/+/event/up', 'join', 'status']],
    ['ttn', ['v3/+/devices/+/up', 'join']],
  ] as const)('is asked for uplinks and for signs of life when it is of %s', async (driver, topics) => {
    open(`mqtt://127.0.0.1:${portOf()}`, driver);
    await waitUntil('the link', () => faults.includes(null));
    const [uplinks, ...others] = topics;
    expect(asked).toEqual([uplinks, ...others.map((event) => uplinks.replace(/up$/, event))]);
  });

  it.each(['refuse', 'hang up'] as const)(
    'may %s when it is asked for signs of life: uplinks are heard',
    async (how) => {
      signs = how;
      open(`mqtt://127.0.0.1:${portOf()}`);
      await waitUntil('the link', () => faults.at(-1) === null);
      expect(seen).toHaveLength(how === 'refuse' ? 1 : 3);
    },
  );
});
