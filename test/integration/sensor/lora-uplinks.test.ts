/** What goes wrong with uplinks, through a real Mosquitto. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { createLoraBench, type LoraBench } from '../../devices/lora-bench.js';
import { NETWORK_MESSAGES } from '../../../scripts/sim/sensors/lora-payloads.js';
import { hasMosquitto, type MosquittoServer, startMosquitto } from '../../world/mosquitto-server.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const BOSCH = '647fda000000a001';
const OCCUPIED = { port: 1, bytes: Uint8Array.of(1) };
const FREE = { port: 1, bytes: Uint8Array.of(0) };

describe.runIf(hasMosquitto()).each(['chirpstack', 'ttn'] as const)('uplinks of %s', (network) => {
  let broker: MosquittoServer;
  let bench: LoraBench;
  let source: SensorSource;
  let readings: SensorReading[];
  let faults: (string | null)[];

  beforeAll(async () => {
    broker = await startMosquitto({ hasPlugin: false });
  });
  afterAll(() => broker?.remove());
  beforeEach(async () => {
    bench = await createLoraBench(network, { broker });
    await open();
  });
  afterEach(async () => {
    await source.close();
    await bench.remove();
  });

  async function open(changed: object = {}): Promise<void> {
    readings = [];
    faults = [];
    source = bench.driver.open(
      { ...bench.item, ...changed },
      {
        onReadings: (heard) => readings.push(...heard),
        onFault: (reason) => faults.push(reason),
        occupancyOf: () => null,
      },
    );
    await waitUntil('the topic to be heard', () => faults.at(-1) === null);
  }
  const SIGNS = { chirpstack: ['join', 'status'], ttn: ['join'] }[network];
  /** Sends a sign of life of the second sensor: everything sent before it was heard then. */
  async function settled(): Promise<SensorReading[]> {
    await bench.send('70b3d5000000a002', FREE);
    await waitUntil('the last uplink', () => readings.some(({ parking_place_id }) => parking_place_id === 2));
    return readings.filter(({ parking_place_id }) => parking_place_id === 1);
  }

  it('have the time at which the network heard them, and what was in them', async () => {
    const sent_ms = Date.now() - 60_000;
    await bench.send(BOSCH, OCCUPIED, { sent_ms });
    expect(await settled()).toEqual([
      {
        parking_place_id: 1,
        occupancy: 'occupied',
        measured_ms: sent_ms,
        frame: { count: expect.any(Number), session: '' },
        raw: 'port 1: 01',
      },
    ]);
  });

  it('are passed on as they come, twice or in a wrong order: each has its time', async () => {
    const now = Date.now();
    await bench.send(BOSCH, FREE, { sent_ms: now });
    await bench.send(BOSCH, OCCUPIED, { sent_ms: now - 5_000 });
    await bench.send(BOSCH, OCCUPIED, { sent_ms: now - 5_000 });
    expect((await settled()).map(({ occupancy, measured_ms }) => [occupancy, measured_ms])).toEqual([
      ['free', now],
      ['occupied', now - 5_000],
      ['occupied', now - 5_000],
    ]);
  });

  it('are left alone when they are of unknown sensors or of other applications', async () => {
    await bench.send('ffffffffffffffff', OCCUPIED);
    await bench.send(BOSCH, OCCUPIED, { application: 'meters' });
    expect(await settled()).toEqual([]);
    expect(faults.at(-1)).toBeNull();
  });

  it('change nothing when they are cut or too long, and are named until a good one comes', async () => {
    await bench.send(BOSCH, { port: 3, bytes: Uint8Array.of(1) });
    await waitUntil(
      'the fault',
      () => faults.at(-1) === `the payload of A1's sensor ${BOSCH}: 1 bytes on port 3 instead of 17`,
    );
    await bench.send(BOSCH, { port: 1, bytes: Uint8Array.of(1, 1) });
    await waitUntil('the fault', () => faults.at(-1)?.includes('2 bytes on port 1') === true);
    expect(readings).toEqual([]);
    await bench.send(BOSCH, OCCUPIED);
    await waitUntil('the end of the fault', () => faults.at(-1) === null);
    expect(await settled()).toHaveLength(1);
  });

  it('without a payload say that each sensor lives, whatever its codec, and nothing of its place', async () => {
    const [, nwave, milesight, mapped] = bench.item.places.map(({ sensor }) => sensor);
    for (const sensor of [nwave, milesight, mapped, BOSCH]) {
      await bench.send(sensor ?? '', { port: 0, bytes: Uint8Array.of(1) });
      await bench.send(sensor ?? '', { port: 9, bytes: new Uint8Array() });
    }
    await waitUntil('the last sign of life', () => readings.length === 8);
    expect(readings.map(({ occupancy, measured_ms }) => [occupancy, measured_ms])).toEqual(
      readings.map(() => [null, null]),
    );
    expect(faults.at(-1)).toBeNull();
  });

  it('are of no help when the broker held them from before', async () => {
    await source.close();
    const { message } = NETWORK_MESSAGES[network]({
      devEui: BOSCH,
      application: 'parking',
      sent_ms: Date.now(),
      count: 1,
      ...OCCUPIED,
    });
    await bench.sendRaw(JSON.stringify(message), { retain: true });
    // As another gateway: one that had a session hears it when it is sent.
    await open({ id: 2 });
    expect(await settled()).toEqual([]);
    await bench.sendRaw('', { retain: true });
  });

  it.each(['64-7F-DA-00-00-00-A0-01', '64:7f:da:00:00:00:a0:01', '64 7F DA 00 00 00 A0 01'])(
    'reach a place whose sensor is written as on its label: %s',
    async (sensor) => {
      await source.close();
      const [place] = bench.item.places;
      await open({ places: [{ ...place, id: 1, name: 'A1', sensor }] });
      await bench.send(BOSCH, OCCUPIED);
      await waitUntil('the reading', () => readings.length === 1);
      expect(readings).toMatchObject([{ parking_place_id: 1, occupancy: 'occupied' }]);
    },
  );

  it('are left alone when they are no uplinks at all', async () => {
    for (const payload of ['', 'occupied', '[]', '{"deviceInfo": 5}', '{"end_device_ids": {}}', '\u0000']) {
      await bench.sendRaw(payload);
    }
    expect(await settled()).toEqual([]);
    expect(faults.at(-1)).toBeNull();
  });

  it('are not the only signs of life, and what others did is none', async () => {
    const message = {
      deviceInfo: { devEui: BOSCH, applicationName: 'parking' },
      end_device_ids: { dev_eui: BOSCH, application_ids: { application_id: 'parking' } },
    };
    for (const event of ['txack', 'ack', 'log', 'integration', 'location', 'down/sent', 'service/data', ...SIGNS]) {
      await bench.sendRaw(JSON.stringify(message), { event });
    }
    expect((await settled()).map(({ raw, occupancy }) => [raw, occupancy])).toEqual(SIGNS.map((raw) => [raw, null]));
  });

  it('are kept by the broker while the gateway is away', async () => {
    await source.close();
    await bench.send(BOSCH, OCCUPIED);
    await open();
    await waitUntil('the uplink', () => readings.some(({ occupancy }) => occupancy === 'occupied'));
  });

  it('are heard again when the broker restarts', async () => {
    await broker.stop('SIGKILL');
    await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
    await broker.start();
    await waitUntil('the topic to be heard again', () => faults.at(-1) === null);
    await bench.send(BOSCH, OCCUPIED);
    expect(await settled()).toHaveLength(1);
  });

  it('stay a fault when they are cut, while the broker is gone, which is told first', async () => {
    const cut = `the payload of A1's sensor ${BOSCH}: 2 bytes on port 1 instead of 1`;
    const long = "the payload of A2's sensor 70b3d5000000a002: 2 bytes on port 1 instead of 1";
    await bench.send(BOSCH, { port: 1, bytes: Uint8Array.of(1, 1) });
    await bench.send('70b3d5000000a002', { port: 1, bytes: Uint8Array.of(1, 1) });
    await waitUntil('both faults', () => faults.at(-1) === `${cut}; ${long}`);
    await broker.stop('SIGKILL');
    await waitUntil('the loss of the broker', () => faults.at(-1) !== `${cut}; ${long}`);
    expect(faults.at(-1)?.endsWith(`; ${cut}; ${long}`)).toBe(true);
    expect(faults.at(-1)).toMatch(/^(the broker|127\.0\.0\.1)/);
    await broker.start();
    await waitUntil('the topic to be heard again', () => faults.at(-1) === `${cut}; ${long}`);
    await bench.send('70b3d5000000a002', FREE);
    await waitUntil('the end of one', () => faults.at(-1) === cut);
  });

  it('are a fault that names their place when its settings say nothing of its payloads', async () => {
    await source.close();
    readings = [];
    faults = [];
    source = bench.driver.open(
      { ...bench.item, mapping: null, address: 'broker' },
      { onReadings: () => {}, onFault: (reason) => faults.push(reason), occupancyOf: () => null },
    );
    await waitUntil('the faults', () => faults.length > 1);
    expect(faults[0]).toMatch(/^place A4 has no codec/);
  });
});

describe.runIf(hasMosquitto())('an uplink of The Things Stack', () => {
  it('is none when somebody simulated it', async () => {
    const broker = await startMosquitto({ hasPlugin: false });
    const bench = await createLoraBench('ttn', { broker });
    const readings: SensorReading[] = [];
    const faults: (string | null)[] = [];
    const source = bench.driver.open(bench.item, {
      onReadings: (heard) => readings.push(...heard),
      onFault: (reason) => faults.push(reason),
      occupancyOf: () => null,
    });
    await waitUntil('the topic to be heard', () => faults.at(-1) === null);
    const { message } = NETWORK_MESSAGES.ttn({
      devEui: BOSCH,
      application: 'parking',
      sent_ms: Date.now(),
      count: 1,
      ...OCCUPIED,
    });
    await bench.sendRaw(JSON.stringify({ ...message, simulated: true }));
    await bench.send(BOSCH, FREE);
    await waitUntil('the true uplink', () => readings.length > 0);
    expect(readings.map(({ occupancy }) => occupancy)).toEqual(['free']);
    await source.close();
    await bench.remove();
    await broker.remove();
  });
});
