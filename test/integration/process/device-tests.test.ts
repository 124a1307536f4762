/** `parking-agent sensors test` and `displays test` as programs, beside a gateway whose sensors and displays answer or do not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testDisplay } from '../../../agent/console/display-command.js';
import { createDisplayTestRoute } from '../../../agent/console/local-routes.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { askSensors } from '../../../agent/console/sensors-command.js';
import { createDisplays, type Displays } from '../../../agent/display/displays.js';
import { createHttpDisplayDriver } from '../../../agent/display/http/http-driver.js';
import type { SensorDriver, SensorListener } from '../../../agent/sensor/sensor-source.js';
import { createSensors, type Sensors } from '../../../agent/sensor/sensors.js';
import type { DisplayItem, SensorItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { newUid } from '../../world/agent-records.js';
import { FakeClock } from '../../world/fake-clock.js';
import { freePorts } from '../../world/free-ports.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk } from '../../../scripts/fleet/memory-disk.js';
import { startProgram } from '../../world/programs.js';

const HEARTBEAT_S = 30;

const placeItem = (id: number): SensorItem['places'][number] => ({
  id,
  zone_id: 1,
  name: `A${id}`,
  sensor: String(id),
  codec: null,
  occupied_below_mm: null,
  hysteresis_mm: null,
});

const GUIDANCE: SensorItem = {
  id: 7,
  name: 'Guidance',
  driver: 'modbus-tcp',
  address: '127.0.0.1:1502',
  unit: 1,
  poll_ms: 1_000,
  heartbeat_s: HEARTBEAT_S,
  register: { function: 3, base: 0, occupied: { mask: 1 }, scale: 1, sentinels: [] },
  application: null,
  places: [placeItem(1), placeItem(2)],
};

let directory: string;
let clock: FakeClock;
let sensors: Sensors;
let listener: SensorListener;
let displays: Displays;
let sign: Server;
/** What the sign answers. */
let signStatus: number;
let server: LocalServer;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'device-tests-'));
  sign = createServer((request, response) => {
    request.resume();
    response.writeHead(signStatus).end();
  });
  await new Promise<void>((resolve) => sign.listen(0, '127.0.0.1', resolve));
  const { port } = sign.address() as AddressInfo;
  const [closed = 0] = await freePorts(1);
  const displayItem = (id: number, name: string, at: number): DisplayItem => ({
    id,
    name,
    zone_id: null,
    driver: 'http',
    address: `http://127.0.0.1:${at}/show`,
    template: '',
    stale_text: 'P',
    rules: [],
  });
  displays = createDisplays({
    drivers: new Map([['http', createHttpDisplayDriver()]]),
    wanted: () => ({ text: '5', is_stale: false }),
    clock: systemClock,
    random: () => 1,
    logger: silentLogger,
    publish: () => {},
  });
  displays.setDisplays([displayItem(1, 'Sign', port), displayItem(2, 'Dead sign', closed)]);
  const app = new Hono();
  app.get('/status', (context) => context.json({ parking_gateways: sensors.list() }));
  app.route('/', createDisplayTestRoute(displays));
  server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  signStatus = 204;
  await displays.close();
  await server.close();
  sign.closeAllConnections();
  await new Promise((resolve) => sign.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  signStatus = 204;
  clock = new FakeClock();
  const driver: SensorDriver = {
    name: 'modbus-tcp',
    open(_item, opened) {
      listener = opened;
      return { close: () => Promise.resolve() };
    },
  };
  sensors = createSensors({
    store: await openMemoryAgentStore({ disk: createMemoryDisk() }),
    drivers: new Map([[driver.name, driver]]),
    clock,
    logger: silentLogger,
    stamp: (uid) => ({ uid, mono_ms: clock.monotonic(), wall_ms: clock.now(), clock_ok: true }),
    newUid,
    onCommitted: () => {},
    publish: () => {},
  });
  sensors.setSensors([GUIDANCE]);
});

const hear = (...ids: number[]) =>
  listener.onReadings(
    ids.map((parking_place_id) => ({ parking_place_id, occupancy: 'free', measured_ms: null, raw: 'register 0: 0' })),
  );

const place = () => ({ httpHost: '127.0.0.1', httpPort: server.port });

async function agent(...words: string[]): Promise<{ code: number | null; output: string }> {
  const environment = { AGENT_DATA_DIR: directory, AGENT_HTTP_PORT: String(server.port) };
  const program = startProgram('agent/main.js', words, environment);
  const { code } = await program.ended;
  return { code, output: program.output() };
}

describe('parking-agent sensors test', () => {
  it('ends with 1 and says which sensor does not answer, since when, and why', async () => {
    hear(1);
    await clock.advance(6_000);
    hear(2);
    listener.onFault('connect ECONNREFUSED 127.0.0.1:1502');
    const { code, output } = await agent('sensors', 'test', 'Guidance');
    expect(code).toBe(1);
    expect(output).toMatch(/^A1 {2,}Guidance {2,}1 {2,}free {2,}register 0: 0 {2,}6 s ago/m);
    expect(output).toContain(
      'parking-agent: no answer from A1 (last heard 6 s ago); Guidance: connect ECONNREFUSED 127.0.0.1:1502\n',
    );
    // Its neighbour behind the same server was heard just now.
    expect(await askSensors(place(), 'A2')).toMatchObject({
      problem: null,
      sensors: [{ places: [{ answers: true }] }],
    });
  });

  it('knows of a sensor that was never heard, and of one that fell silent without a fault', async () => {
    hear(2);
    expect(await askSensors(place(), 'A1')).toMatchObject({
      problem: 'no answer from A1 (never heard since the gateway started)',
      sensors: [{ places: [{ name: 'A1', answers: false }] }],
    });
    await clock.advance(3 * HEARTBEAT_S * 1_000);
    expect((await askSensors(place(), 'A2')).problem).toBe('no answer from A2 (last heard 90 s ago)');
    await expect(askSensors(place(), 'Z9')).rejects.toThrow('there is no parking gateway or place Z9');
  });
});

describe('parking-agent displays test', () => {
  it('ends with 1 and says what the display answered, or that it does not', async () => {
    signStatus = 500;
    expect(await agent('displays', 'test', 'Sign')).toEqual({
      code: 1,
      output: 'parking-agent: Sign: the display answered 500\n',
    });
    await expect(testDisplay(place(), { name: 'Dead sign', text: 'X' })).rejects.toThrow(
      /^Dead sign: the display cannot be reached: connect ECONNREFUSED/,
    );
    signStatus = 204;
    expect(await testDisplay(place(), { name: 'Sign', text: 'HELLO' })).toBe(
      'Sign took the text "HELLO"; it shows its own again soon.',
    );
  });
});
