/** A parking gateway whose places stay as they are is seen all the same: the agent's sensors and the cloud's reports on one clock. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SensorDriver, SensorListener } from '../../../agent/sensor/sensor-source.js';
import { createSensors, type Sensors } from '../../../agent/sensor/sensors.js';
import type { ProductReports } from '../../../cloud/equipment/product/product-reports.js';
import { findParkingGateway, saveParkingGatewaySeen } from '../../../cloud/equipment/sensor/parking-gateway-queries.js';
import { representPlace } from '../../../cloud/equipment/place/place-resource.js';
import { placesByIds } from '../../../cloud/equipment/place/place-queries.js';
import { PARKING_GATEWAY_ANSWER } from '../../../cloud/equipment/sensor/parking-gateway-resource.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import type { ParkingGatewayReport } from '../../../shared/uplink-reports.js';
import { newUid } from '../../world/agent-records.js';
import { settle } from '../../world/fake-clock.js';
import { createMemoryDisk } from '../../../scripts/fleet/memory-disk.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { insertId, NORTH_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { productReportsOf } from '../../world/product-reports.js';

let world: StoreWorld;
let reports: ProductReports;
let sensors: Sensors;
let listener: SensorListener;
let id: number;
/** What the gateway reported. */
let sent: ParkingGatewayReport[][];
let arriving: Promise<unknown>;

beforeEach(async () => {
  world = await createStoreWorld();
  reports = productReportsOf(world);
  id = await insertParkingGateway(world.site.gateway);
  sent = [];
  arriving = Promise.resolve();
  const driver: SensorDriver = {
    name: 'http',
    open(_item, opened) {
      listener = opened;
      return { close: () => Promise.resolve() };
    },
  };
  sensors = createSensors({
    store: await openMemoryAgentStore({ disk: createMemoryDisk() }),
    drivers: new Map([[driver.name, driver]]),
    clock: world.clock,
    logger: silentLogger,
    stamp: (uid) => ({ uid, mono_ms: world.clock.monotonic(), wall_ms: world.clock.now(), clock_ok: true }),
    newUid,
    onCommitted: () => {},
    publish(parking_gateways, silent_sensors) {
      if (parking_gateways.length > 0) sent.push(parking_gateways);
      const report = { products: [], parking_gateways, silent_sensors };
      arriving = Promise.all([arriving, reports.handleReport(NORTH_GATEWAY, report)]);
    },
  });
  sensors.setSensors([itemOf(id)]);
});
afterEach(async () => {
  await sensors.close();
  await arriving;
  await reports.close();
  await world.close();
});

const itemOf = (of: number): SensorItem => ({
  id: of,
  name: 'Guidance',
  driver: 'http',
  address: '127.0.0.1:1502',
  unit: 1,
  poll_ms: 1_000,
  heartbeat_s: 30,
  register: null,
  application: null,
  places: [{ id: 1, zone_id: 1, name: 'A1', sensor: '1', codec: null, occupied_below_mm: null, hysteresis_mm: null }],
});

function insertParkingGateway(gateway_id: number): Promise<number> {
  const { site } = world;
  return world.store.change((tx) =>
    insertId(tx, 'parking_gateways', {
      account_id: site.account,
      lot_id: site.lot,
      gateway_id,
      name: `Guidance of ${gateway_id}`,
      driver: 'http',
      address: '127.0.0.1:1502',
      unit: 1,
      poll_ms: 1_000,
      heartbeat_s: 30,
      register: null,
      application: null,
      status: 'online',
      last_seen: null,
      created_at: 1,
      updated_at: 1,
    }),
  );
}

/** The place stays free, poll by poll. */
async function pollFor(durationMs: number): Promise<void> {
  for (let passed = 0; passed < durationMs; passed += 10_000) {
    await world.clock.advance(10_000);
    listener.onReadings([{ parking_place_id: 1, occupancy: 'free', measured_ms: null }]);
    await settle();
    await arriving;
  }
}

async function lastSeen(of = id): Promise<number | null> {
  const row = await findParkingGateway(world.store.reader, of);
  const shown = row === undefined ? null : PARKING_GATEWAY_ANSWER.of(row, { problem: null }).last_seen;
  return shown === null ? null : Date.parse(shown);
}

describe('last_seen of a parking gateway', () => {
  it('moves while it answers without a change, by one report a minute', async () => {
    const begin = world.clock.now();
    await pollFor(10 * MINUTE_MS);
    const seen = (await lastSeen()) ?? 0;
    expect(world.clock.now() - seen).toBeLessThanOrEqual(MINUTE_MS + 10_000);
    expect(seen).toBeGreaterThan(begin + 8 * MINUTE_MS);
    expect(sent.length).toBeGreaterThanOrEqual(9);
    expect(sent.length).toBeLessThanOrEqual(10);
  });

  it('stands still while it is silent, and says when it was heard last', async () => {
    await pollFor(2 * MINUTE_MS);
    const heard = world.clock.now();
    await world.clock.advance(20 * MINUTE_MS);
    await settle();
    await arriving;
    expect(await lastSeen()).toBe(heard);
  });

  it('is reported as soon as the gateway is connected again', async () => {
    await pollFor(30_000);
    expect(await lastSeen()).toBeNull();
    sensors.report();
    await arriving;
    expect(await lastSeen()).toBe(world.clock.now());
  });

  it('is not reported before any sensor was heard', async () => {
    await world.clock.advance(5 * MINUTE_MS);
    expect(sent).toEqual([]);
  });

  it('goes back by no late record, and moves by no gateway that does not watch it', async () => {
    const other = await insertParkingGateway(world.site.secondGateway);
    const heard_ago_ms = 0;
    await reports.handleReport(NORTH_GATEWAY, {
      products: [],
      parking_gateways: [id, other, 999_999].map((parking_gateway_id) => ({ parking_gateway_id, heard_ago_ms })),
    });
    const now = world.clock.now();
    await world.store.change((tx) => saveParkingGatewaySeen(tx, { id, last_seen: now - 86_400_000 }));
    expect([await lastSeen(), await lastSeen(other)]).toEqual([now, null]);
  });
});

describe('stale_since of a place', () => {
  let place: number;
  const staleSince = async () => {
    const [row] = await placesByIds(world.store.reader, [place]);
    if (row === undefined) throw new Error('the place is gone');
    return representPlace(row).stale_since;
  };
  const silentFor = async (durationMs: number) => {
    await world.clock.advance(durationMs);
    await settle();
    await arriving;
  };
  const hear = async () => {
    listener.onReadings([{ parking_place_id: place, occupancy: null, measured_ms: null }]);
    sensors.report();
    await arriving;
  };

  beforeEach(async () => {
    const { site } = world;
    place = await world.store.change((tx) =>
      insertId(tx, 'parking_places', {
        account_id: site.account,
        lot_id: site.lot,
        zone_id: site.zone,
        name: 'A1',
        occupancy_status: 'free',
        parking_gateway_id: id,
        sensor: '1',
        codec: null,
        occupied_below_mm: null,
        hysteresis_mm: null,
        changed_at: null,
        created_at: 1,
        updated_at: 1,
      }),
    );
    const item = itemOf(id);
    sensors.setSensors([{ ...item, places: item.places.map((each) => ({ ...each, id: place })) }]);
  });

  it('is when its sensor was last heard, once three heartbeats are over, and null as soon as it is heard again', async () => {
    await hear();
    const heard = new Date(world.clock.now()).toISOString();
    await silentFor(MINUTE_MS);
    expect(await staleSince()).toBeNull();
    await silentFor(MINUTE_MS);
    expect(await staleSince()).toBe(heard);
    const notified = (await placesByIds(world.store.reader, [place]))[0]?.updated_at;
    // Reports that tell the same write nothing.
    await silentFor(3 * MINUTE_MS);
    expect(await staleSince()).toBe(heard);
    expect((await placesByIds(world.store.reader, [place]))[0]?.updated_at).toBe(notified);
    await hear();
    expect(await staleSince()).toBeNull();
  });

  it('is when the gateway began to listen where a sensor was never heard', async () => {
    const began = new Date(world.clock.now()).toISOString();
    await silentFor(2 * MINUTE_MS);
    expect(await staleSince()).toBe(began);
  });

  it('is told by no gateway that does not listen to the sensor, and of no place without one', async () => {
    const silent_sensors = [{ parking_gateway_id: id, places: [{ parking_place_id: place, silent_ms: 600_000 }] }];
    await reports.handleReport(SECOND_GATEWAY, { products: [], parking_gateways: [], silent_sensors });
    expect(await staleSince()).toBeNull();
    await reports.handleReport(NORTH_GATEWAY, { products: [], parking_gateways: [], silent_sensors });
    expect(await staleSince()).not.toBeNull();
    await world.store.change((tx) =>
      tx.updateTable('parking_places').set({ sensor: null }).where('id', '=', place).execute(),
    );
    expect(await staleSince()).toBeNull();
  });
});
