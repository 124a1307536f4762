import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Occupancy, SensorDriver, SensorListener } from '../../../agent/sensor/sensor-source.js';
import { createSensors, type Sensors } from '../../../agent/sensor/sensors.js';
import { type AgentStore, StoreError } from '../../../agent/store/agent-store.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { newUid } from '../../world/agent-records.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk, type MemoryDisk } from '../../../scripts/fleet/memory-disk.js';

const HEARTBEAT_S = 10;

function place(id: number, change: Partial<SensorItem['places'][number]> = {}): SensorItem['places'][number] {
  return {
    id,
    zone_id: 1,
    name: `A${id}`,
    sensor: String(id),
    codec: null,
    occupied_below_mm: null,
    hysteresis_mm: null,
    ...change,
  };
}

function gatewayItem(change: Partial<SensorItem> = {}): SensorItem {
  return {
    id: 7,
    name: 'Guidance',
    driver: 'http',
    address: '127.0.0.1:1502',
    unit: 1,
    poll_ms: 1_000,
    heartbeat_s: HEARTBEAT_S,
    register: null,
    application: null,
    places: [place(1), place(2)],
    ...change,
  };
}

interface Source {
  item: SensorItem;
  listener: SensorListener;
  isClosed: boolean;
}

const DRIVER: SensorDriver = {
  name: 'http',
  open(item, listener) {
    if (item.application === 'throws') throw new Error('it does not start');
    const source = { item, listener, isClosed: false };
    sources.push(source);
    return {
      close() {
        source.isClosed = true;
        return Promise.resolve();
      },
    };
  },
};

let disk: MemoryDisk;
let clock: FakeClock;
let store: AgentStore;
let sensors: Sensors;
let sources: Source[];

async function start(items = [gatewayItem()]): Promise<void> {
  store = await openMemoryAgentStore({ disk });
  sources = [];
  sensors = createSensors({
    store,
    drivers: new Map([DRIVER, { ...DRIVER, name: 'modbus-tcp' as const }].map((driver) => [driver.name, driver])),
    clock,
    logger: silentLogger,
    stamp: (uid) => ({ uid, mono_ms: clock.monotonic(), wall_ms: clock.now(), clock_ok: true }),
    newUid,
    onCommitted: () => {},
    publish: () => {},
  });
  sensors.setSensors(items);
}

beforeEach(async () => {
  disk = createMemoryDisk();
  clock = new FakeClock();
  await start();
});
afterEach(() => sensors.close());

const STATES = ['free', 'occupied'] as const;
const readingOf = (id: number, occupancy: Occupancy | null, measured_ms: number | null = null) => ({
  parking_place_id: id,
  occupancy,
  measured_ms,
});

/** Readings of places by id: 0 is free, 1 occupied. */
async function measure(values: Record<number, 0 | 1>, source = sources.at(-1)): Promise<void> {
  source?.listener.onReadings(Object.entries(values).map(([id, value]) => readingOf(Number(id), STATES[value])));
  await settle();
}

/** Everything told so far, in one line each. */
async function notified(): Promise<string[]> {
  const rows = await store.outboxRows(1, 0);
  return rows.map(({ payload }) => {
    if (payload.kind === 'place_change') return `place ${payload.parking_place_id} ${payload.occupancy_status}`;
    if (payload.kind === 'parking_gateway_status') return `gateway ${payload.parking_gateway_id} ${payload.status}`;
    return payload.kind;
  });
}
const status = () => sensors.list()[0]?.status;

describe('the sensors of a gateway', () => {
  it('tell each place once when it is first measured, and then its changes', async () => {
    await measure({ 1: 0, 2: 1 });
    await measure({ 1: 0, 2: 1 });
    await measure({ 1: 1, 2: 1 });
    expect(await notified()).toEqual(['place 1 free', 'place 2 occupied', 'gateway 7 online', 'place 1 occupied']);
  });

  it('tell the time of the change', async () => {
    await measure({ 1: 0 });
    await clock.advance(5_000);
    const changedMs = clock.now();
    await measure({ 1: 1 });
    await clock.advance(5_000);
    const [payload] = (await store.outboxRows(1, 2)).map((row) => row.payload);
    expect(payload).toEqual({
      kind: 'place_change',
      parking_place_id: 1,
      occupancy_status: 'occupied',
      event_ms: changedMs,
      time_source: 'arrival',
    });
  });

  it('tell when a sensor saw it, however late that arrives', async () => {
    await clock.advance(60_000);
    const measuredMs = clock.now() - 45_000;
    sources[0]?.listener.onReadings([readingOf(1, 'occupied', measuredMs)]);
    await settle();
    const [payload] = (await store.outboxRows(1, 0)).map((row) => row.payload);
    expect(payload).toMatchObject({ occupancy_status: 'occupied', event_ms: measuredMs, time_source: 'device' });
  });

  it('know the last state of a place, for a driver whose threshold starts from it', async () => {
    expect(sources[0]?.listener.occupancyOf(1)).toBeNull();
    await measure({ 1: 1 });
    await sensors.close();
    await start();
    expect([1, 2, 9].map((id) => sources[0]?.listener.occupancyOf(id))).toEqual(['occupied', null, null]);
  });

  it('tell nothing twice after a restart, and what changed meanwhile', async () => {
    await measure({ 1: 0, 2: 1 });
    await sensors.close();
    await start();
    await clock.advance(2 * HEARTBEAT_S * 1_000);
    await measure({ 1: 0, 2: 0 });
    expect((await notified()).slice(3)).toEqual(['place 2 free']);
  });

  it('count what is occupied, by zone, and only where this gateway listens', async () => {
    sensors.setSensors([gatewayItem({ places: [place(1), place(2), place(3, { zone_id: 2 })] })]);
    await measure({ 1: 1, 2: 1, 3: 1 });
    expect([sensors.occupied(7, 1), sensors.occupied(7, 2), sensors.occupied(7, 3)]).toEqual([2, 1, 0]);
    expect(sensors.occupied(8, 1)).toBeNull();
    await sensors.close();
    await start();
    // Before anything is measured the last word counts.
    expect(sensors.occupied(7, 1)).toBe(2);
  });
});

describe('what a sign counts', () => {
  const seen = () => sensors.seen(7, 1);

  it('is no free place of which nothing is known, whatever sign of life its sensor gives', async () => {
    expect(seen()).toEqual({ places: 2, occupiedPlaces: 2, silent: 2 });
    sources[0]?.listener.onReadings([readingOf(1, null)]);
    await measure({ 2: 0 });
    expect(seen()).toEqual({ places: 2, occupiedPlaces: 1, silent: 1 });
    await measure({ 1: 0 });
    expect(seen()).toEqual({ places: 2, occupiedPlaces: 0, silent: 0 });
    expect(sensors.seen(8, 1)).toBeNull();
  });

  it('is no free place whose sensor fell silent', async () => {
    await measure({ 1: 0, 2: 1 });
    await clock.advance(3 * HEARTBEAT_S * 1_000);
    expect(seen()).toEqual({ places: 2, occupiedPlaces: 2, silent: 2 });
    await measure({ 1: 0 });
    expect(seen()).toEqual({ places: 2, occupiedPlaces: 1, silent: 1 });
  });

  it('is what was recorded before a restart, for three heartbeats', async () => {
    await measure({ 1: 0, 2: 1 });
    await sensors.close();
    await start([gatewayItem({ places: [place(1), place(2), place(3)] })]);
    expect(seen()).toEqual({ places: 3, occupiedPlaces: 2, silent: 1 });
    await clock.advance(3 * HEARTBEAT_S * 1_000 - 1);
    expect(seen()).toEqual({ places: 3, occupiedPlaces: 2, silent: 1 });
    await clock.advance(1);
    expect(seen()).toEqual({ places: 3, occupiedPlaces: 3, silent: 3 });
  });

  it('is steady while a sensor flutters, and ends with its last word', async () => {
    const counts: (number | null)[] = [];
    for (let second = 0; second < 60; second++) {
      await measure({ 1: second % 2 === 0 ? 1 : 0, 2: 0 });
      counts.push(sensors.occupied(7, 1));
      await clock.advance(1_000);
    }
    const changes = counts.filter((count, index) => index > 0 && count !== counts[index - 1]);
    expect(changes.length).toBeLessThanOrEqual(11);
    expect((await notified()).filter((line) => line.startsWith('place 1'))).toHaveLength(changes.length + 1);
    await clock.advance(10_000);
    expect(sensors.occupied(7, 1)).toBe(0);
    expect((await notified()).findLast((line) => line.startsWith('place 1'))).toBe('place 1 free');
  });

  it('follows the debounce of a parking gateway', async () => {
    sensors.setSensors([gatewayItem({ mapping: { debounce_ms: 3_000 } })]);
    await measure({ 1: 0 });
    await measure({ 1: 1 });
    expect(sensors.occupied(7, 1)).toBe(0);
    await clock.advance(3_000);
    expect(sensors.occupied(7, 1)).toBe(1);
  });
});

describe('silence', () => {
  it('makes the place of one sensor stale, and changes nothing else', async () => {
    await measure({ 1: 1, 2: 1 });
    for (let beat = 0; beat < 3; beat++) {
      await clock.advance(HEARTBEAT_S * 1_000);
      await measure({ 2: 1 });
    }
    expect(sensors.list()).toMatchObject([{ status: 'online', stale_places: ['A1'], occupied_count: 2 }]);
    expect(await notified()).toHaveLength(3);
  });

  it('takes the parking gateway offline after three heartbeats of all sensors; places keep their state', async () => {
    await measure({ 1: 1, 2: 0 });
    await clock.advance(3 * HEARTBEAT_S * 1_000 - 2_000);
    expect(status()).toBe('online');
    await clock.advance(3_000);
    expect((await notified()).slice(3)).toEqual(['gateway 7 offline']);
    expect(sensors.occupied(7, 1)).toBe(1);
    await measure({ 1: 1 });
    expect((await notified()).slice(4)).toEqual(['gateway 7 online']);
  });

  it('is broken by a sign of life that says nothing of the place', async () => {
    await measure({ 1: 1 });
    await clock.advance(3 * HEARTBEAT_S * 1_000 - 1_000);
    sources[0]?.listener.onReadings([readingOf(1, null)]);
    await clock.advance(3 * HEARTBEAT_S * 1_000 - 1_000);
    expect(status()).toBe('online');
    expect(await notified()).toHaveLength(2);
  });

  it('is counted anew after a restart', async () => {
    await measure({ 1: 1 });
    await sensors.close();
    await start();
    await clock.advance(3 * HEARTBEAT_S * 1_000 - 1_000);
    expect(status()).toBe('online');
    await clock.advance(2_000);
    expect((await notified()).slice(2)).toEqual(['gateway 7 offline']);
  });

  it('from the beginning is told as nothing: the cloud has it offline', async () => {
    await clock.advance(10 * HEARTBEAT_S * 1_000);
    expect(await notified()).toEqual([]);
    expect(status()).toBe('offline');
  });
});

describe('a store that refuses', () => {
  it('is told the last word when it takes it again, and only that', async () => {
    await measure({ 1: 0 });
    disk.refuseWith = new StoreError('full', 'the disk is full');
    await measure({ 1: 1 });
    await measure({ 1: 0 });
    await measure({ 1: 1 });
    expect(sensors.occupied(7, 1)).toBe(1);
    disk.refuseWith = null;
    await clock.advance(1_000);
    expect((await notified()).slice(2)).toEqual(['place 1 occupied']);
  });

  it('is given one word of a place at a time when it is slow', async () => {
    const source = sources[0];
    for (const value of [0, 1, 0, 1] as const) source?.listener.onReadings([readingOf(1, STATES[value])]);
    await settle();
    expect((await notified()).filter((line) => line.startsWith('place'))).toEqual(['place 1 free', 'place 1 occupied']);
  });
});

describe('another configuration', () => {
  it('leaves the connection alone when it is the same', async () => {
    sensors.setSensors([gatewayItem()]);
    expect(sources.map(({ isClosed }) => isClosed)).toEqual([false]);
  });

  it('keeps what is known of the places that stay, and hears the old connection no more', async () => {
    await measure({ 1: 1, 2: 1 });
    sensors.setSensors([gatewayItem({ address: '127.0.0.1:1503', places: [place(1), place(3)] })]);
    expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    await measure({ 1: 0 }, sources[0]);
    expect(sensors.occupied(7, 1)).toBe(1);
    await measure({ 1: 1, 3: 0 });
    expect((await notified()).slice(3)).toEqual(['place 3 free']);
  });

  it('without a parking gateway ends it', async () => {
    sensors.setSensors([]);
    expect(sources[0]?.isClosed).toBe(true);
    expect(sensors.list()).toEqual([]);
    await clock.advance(10 * HEARTBEAT_S * 1_000);
    expect(await notified()).toEqual([]);
  });

  it('whose driver throws is told as its fault, and the others are watched', async () => {
    sensors.setSensors([
      gatewayItem({ id: 8, name: 'Broken', application: 'throws', places: [place(9)] }),
      gatewayItem({ address: '127.0.0.1:1504' }),
    ]);
    expect(sensors.list()).toMatchObject([{ fault: null }, { fault: 'it does not start' }]);
    await measure({ 1: 1 });
    expect(sensors.occupied(7, 1)).toBe(1);
  });

  it('with a driver the agent does not have is told as its fault', () => {
    sensors.setSensors([gatewayItem({ driver: 'chirpstack' })]);
    expect(sensors.list()).toMatchObject([
      {
        status: 'offline',
        fault: expect.stringMatching(/^this agent has no driver chirpstack; sensor "1" of A1 must be/),
      },
    ]);
  });
});

describe('a configuration that cannot be used', () => {
  const register = { function: 3 as const, base: 65_500, occupied: { mask: 1 }, sentinels: [] };
  const modbus = { driver: 'modbus-tcp', register };
  it.each([
    [{ ...modbus, address: 'tcp://guidance' }, 'address must be host:port, such as 192.168.1.30:502'],
    [{ ...modbus, address: '', register: null }, 'address is required for Modbus; register is required for Modbus'],
    [{ ...modbus, register: null }, 'register is required for Modbus'],
  ])('%j is told as a fault', (item, fault) => {
    sensors.setSensors([]);
    const opened = sources.length;
    sensors.setSensors([gatewayItem(item)]);
    expect(sensors.list()).toMatchObject([{ fault, status: 'offline' }]);
    expect(sources).toHaveLength(opened);
  });

  it('in one place is told as a fault, and the others are heard', () => {
    sensors.setSensors([]);
    const address = '127.0.0.1:502';
    sensors.setSensors([gatewayItem({ ...modbus, address, places: [place(1), place(2, { sensor: '36' })] })]);
    expect(sources.at(-1)?.item.places.map(({ id }) => id)).toEqual([1]);
    const unusable = 'sensor "36" of A2 must be a register from 0 to 35, in quotes';
    expect(sensors.list()).toMatchObject([{ fault: unusable }]);
    sources.at(-1)?.listener.onFault('connection refused');
    expect(sensors.list()).toMatchObject([{ fault: `connection refused; ${unusable}` }]);
  });
});

describe('a fault', () => {
  it('is shown until it is over', async () => {
    sources[0]?.listener.onFault('connection refused');
    expect(sensors.list()).toMatchObject([{ fault: 'connection refused' }]);
    sources[0]?.listener.onFault(null);
    expect(sensors.list()).toMatchObject([{ fault: null }]);
  });
});
