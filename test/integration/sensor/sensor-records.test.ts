import { beforeEach, describe, expect, it } from 'vitest';
import { createConfigBuilder } from '../../../cloud/doors/configuration/config-builder.js';
import { countsOfZones } from '../../../cloud/site/zone/occupancy-queries.js';
import { findConfigGateway } from '../../../cloud/doors/configuration/config-queries.js';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import type { RecordPayload } from '../../../shared/uplink.js';
import { crypto } from '../../unit/product-protocol/protocol-fixture.js';
import { entryRead, NOON_MS } from '../ingest/gateway-records.js';
import { insertId, NORTH_GATEWAY, releaseLinks, secrets, SECOND_GATEWAY, SITE_MADE_MS } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { proves } from '../../contract/sending-rules.js';

const REGISTER = { function: 3, base: 10, occupied: { mask: 1 }, sentinels: [] };
const MADE = new Date(SITE_MADE_MS).toISOString();

interface Sensors {
  guidance: number;
  /** Of the lot's second gateway. */
  lower: number;
  /** A1 and A2 in the zone, with sensors of `guidance`; A3 with one of `lower`; A4 without; B1 in the lower zone, of `lower`. */
  places: Record<'A1' | 'A2' | 'A3' | 'A4' | 'B1', number>;
}

const world = storeWorld('for each test');
const [sendNorth, sendSecond] = [senderOf(world), senderOf(world, SECOND_GATEWAY)];
let sensors: Sensors;
beforeEach(async () => {
  sensors = await seedSensors();
});

function seedSensors(): Promise<Sensors> {
  const { site } = world;
  const owner = { account_id: site.account, lot_id: site.lot };
  const times = { created_at: SITE_MADE_MS, updated_at: SITE_MADE_MS };
  return world.store.change(async (tx) => {
    const gatewayOf = (name: string, gateway_id: number) =>
      insertId(tx, 'parking_gateways', {
        ...owner,
        ...times,
        gateway_id,
        name,
        driver: 'modbus-tcp',
        address: '127.0.0.1:1502',
        unit: 1,
        poll_ms: 1_000,
        heartbeat_s: 30,
        register: JSON.stringify(REGISTER),
        application: null,
        status: 'offline',
        last_seen: null,
      });
    const guidance = await gatewayOf('Guidance', site.gateway);
    const lower = await gatewayOf('Lower', site.secondGateway);
    const placeOf = (name: string, parking_gateway_id: number | null, zone_id = site.zone) =>
      insertId(tx, 'parking_places', {
        ...owner,
        ...times,
        zone_id,
        name,
        occupancy_status: 'free',
        parking_gateway_id,
        sensor: parking_gateway_id === null ? null : '1',
        codec: null,
        occupied_below_mm: null,
        hysteresis_mm: null,
        changed_at: null,
      });
    const places = {
      A1: await placeOf('A1', guidance),
      A2: await placeOf('A2', guidance),
      A3: await placeOf('A3', lower),
      A4: await placeOf('A4', null),
      B1: await placeOf('B1', lower, site.lowerZone),
    };
    return { guidance, lower, places };
  });
}

/** Sends payloads as the next records of lane 1. */
async function send(payloads: RecordPayload[], uuid = NORTH_GATEWAY, lane: 0 | 1 = 1) {
  world.staleConfig.length = 0;
  await (uuid === NORTH_GATEWAY ? sendNorth : sendSecond)(lane, ...payloads);
}

const placeChange = (
  place: keyof Sensors['places'],
  occupancy_status: 'free' | 'occupied',
  event_ms = NOON_MS,
): RecordPayload => ({
  kind: 'place_change',
  parking_place_id: sensors.places[place],
  occupancy_status,
  event_ms,
});
const gatewayStatus = (id: number, status: 'online' | 'offline'): RecordPayload => ({
  kind: 'parking_gateway_status',
  parking_gateway_id: id,
  status,
  event_ms: NOON_MS - 1_000,
});
const pushed = () => world.pushed.map(({ event, payload }) => [event, payload]);
const deadLetters = () => world.store.reader.selectFrom('dead_letters').select('reason').execute();
const placeRow = (place: keyof Sensors['places']) =>
  world.store.reader
    .selectFrom('parking_places')
    .selectAll()
    .where('id', '=', sensors.places[place])
    .executeTakeFirstOrThrow();

/** The counts that the last change told: of the lot, of the zone. */
function counts(): (number | undefined)[] {
  const lot = world.pushed.find(({ event }) => event === 'lot_detection_change')?.payload;
  const zone = world.pushed.find(({ event }) => event === 'zone_change')?.payload;
  return [
    EVENT_SCHEMAS.lot_detection_change.parse(lot).lots[0]?.occupied_count,
    EVENT_SCHEMAS.zone_change.parse(zone).zones[0]?.occupied_count,
  ];
}

describe('the change of a place', () => {
  it(
    'is three events in their order, exactly, from one transaction',
    proves('lot_detection_change: sensor', 'zone_change: sensor', 'parking_place_change: sensor'),
    async () => {
      const { site } = world;
      await send([placeChange('A1', 'occupied', NOON_MS - 5_000)]);
      expect(pushed()).toEqual([
        ['lot_detection_change', { lots: [{ id: site.lot, detection_status: 'online', occupied_count: 1 }] }],
        [
          'zone_change',
          {
            zones: [
              {
                id: site.zone,
                account_id: site.account,
                lot_id: site.lot,
                name: 'Level 0',
                description: '',
                spot_count: 40,
                occupied_count: 1,
                deleted_at: null,
                created_at: MADE,
                updated_at: MADE,
              },
            ],
          },
        ],
        [
          'parking_place_change',
          {
            places: [
              {
                id: sensors.places.A1,
                lot_id: site.lot,
                zone_id: site.zone,
                name: 'A1',
                occupancy_status: 'occupied',
              },
            ],
          },
        ],
      ]);
      expect(world.pushed.map(({ id }) => id)).toEqual([1, 2, 3]);
      expect(world.pushed.every(({ lot_id, account_id }) => lot_id === site.lot && account_id === site.account)).toBe(
        true,
      );
      expect(await placeRow('A1')).toMatchObject({ occupancy_status: 'occupied', changed_at: NOON_MS - 5_000 });
      expect(world.staleConfig).toEqual([{ lot_id: site.lot, sections: ['zones'] }]);
    },
  );

  it(
    'tells nothing and makes no configuration stale when it is none',
    proves('parking_place_change: unchanged'),
    async () => {
      await send([placeChange('A1', 'free')]);
      await send([placeChange('A1', 'free')]);
      expect(pushed()).toEqual([]);
      expect(world.staleConfig).toEqual([]);
      expect((await placeRow('A1')).changed_at).toBeNull();
    },
  );

  it('sends no event when it says "free" for the first time, and the zone is counted by its sensors from then on', async () => {
    const { site } = world;
    const sensorsOf = async (zone: number) =>
      (await countsOfZones(world.store.reader, [{ id: zone }], world.clock.now())).get(zone);
    await send([entryRead(site)], NORTH_GATEWAY, 0);
    expect(await sensorsOf(site.zone)).toEqual({ sensors: null, sessions: 1 });
    await send([placeChange('A1', 'free', NOON_MS - 5_000)]);
    expect(pushed()).toEqual([]);
    // Gateways decide by the zone's count.
    expect(world.staleConfig).toEqual([{ lot_id: site.lot, sections: ['zones'] }]);
    expect(await placeRow('A1')).toMatchObject({ changed_at: null, first_heard_at: NOON_MS - 5_000 });
    expect(await sensorsOf(site.zone)).toEqual({ sensors: 0, sessions: 1 });
    await send([placeChange('A1', 'occupied')]);
    expect((await placeRow('A1')).first_heard_at).toBe(NOON_MS - 5_000);
  });

  it('counts sensors in zones that have any, and open sessions in the others', async () => {
    await send([entryRead(world.site), entryRead(world.site, { reading: { plate: 'ZG2' } })], NORTH_GATEWAY, 0);
    await send([placeChange('A1', 'occupied'), placeChange('A2', 'occupied')]);
    await send([placeChange('B1', 'occupied')], SECOND_GATEWAY);
    // The two sessions stand in the zone whose places have sensors: they count no more.
    expect(counts()).toEqual([3, 1]);

    await world.store.change((tx) =>
      tx.updateTable('parking_places').set({ sensor: null }).where('zone_id', '=', world.site.zone).execute(),
    );
    await send([placeChange('B1', 'free')], SECOND_GATEWAY);
    expect(counts()).toEqual([2, 0]);
    await world.clock.sleep(73 * 3_600_000);
    await send([placeChange('B1', 'occupied')], SECOND_GATEWAY);
    expect(counts()).toEqual([1, 1]);
  });

  it('is taken from the gateway that watches the place, and from nobody else', async () => {
    await send([placeChange('A3', 'occupied'), placeChange('A4', 'occupied')]);
    await send([{ ...placeChange('A1', 'occupied'), parking_place_id: 999 } as RecordPayload]);
    expect(pushed()).toEqual([]);
    expect((await deadLetters()).map(({ reason }) => reason)).toEqual(
      [sensors.places.A3, sensors.places.A4, 999].map((id) => `place ${id} is not watched by the gateway`),
    );
    expect((await placeRow('A3')).occupancy_status).toBe('free');
  });
});

describe('the status of a parking gateway', () => {
  it('is told when it changes', proves('parking_gateway_state_change: change'), async () => {
    await send([gatewayStatus(sensors.guidance, 'online')]);
    const statusRecord = (status: string) => [
      ['parking_gateway_state_change', { gateways: [{ id: sensors.guidance, status }] }],
    ];
    expect(pushed()).toEqual(statusRecord('online'));
    await send([gatewayStatus(sensors.guidance, 'online')]);
    expect(pushed()).toEqual([]);
    await send([gatewayStatus(sensors.guidance, 'offline')]);
    expect(pushed()).toEqual(statusRecord('offline'));
    const row = await world.store.reader
      .selectFrom('parking_gateways')
      .selectAll()
      .where('id', '=', sensors.guidance)
      .executeTakeFirst();
    expect(row).toMatchObject({ status: 'offline', last_seen: NOON_MS - 1_000 });
  });

  it('is not taken from a gateway that does not listen to it', async () => {
    await send([gatewayStatus(sensors.lower, 'online')]);
    expect(pushed()).toEqual([]);
    expect(await deadLetters()).toEqual([{ reason: `parking gateway ${sensors.lower} is not watched by the gateway` }]);
  });
});

describe('the configuration', () => {
  const builder = () => createConfigBuilder({ secrets, crypto, releaseLinks, logger: world.logger });

  it("has a gateway's own parking gateways with their places, and not another's", async () => {
    const { reader } = world.store;
    const gateway = await findConfigGateway(reader, world.site.gateway);
    if (gateway === null) throw new Error('the gateway is gone');
    const items = await builder().gatewaySection(reader, 'sensors', { gateway, now: NOON_MS });
    const place = { zone_id: world.site.zone, sensor: '1', codec: null, occupied_below_mm: null, hysteresis_mm: null };
    expect(items).toEqual([
      [
        String(sensors.guidance),
        {
          id: sensors.guidance,
          name: 'Guidance',
          driver: 'modbus-tcp',
          address: '127.0.0.1:1502',
          unit: 1,
          poll_ms: 1_000,
          heartbeat_s: 30,
          register: REGISTER,
          application: null,
          places: [
            { id: sensors.places.A1, name: 'A1', ...place },
            { id: sensors.places.A2, name: 'A2', ...place },
          ],
        },
      ],
    ]);
    for (const [, item] of items) expect(CONFIG_SECTIONS.sensors.safeParse(item).error).toBeUndefined();
  });

  it('has the counts of each zone by the parking gateway that watches it', async () => {
    await send([placeChange('A1', 'occupied')]);
    const lot = { lot_id: world.site.lot, now: NOON_MS };
    const zones = new Map(await builder().lotSection(world.store.reader, 'zones', lot));
    expect(zones.get(String(world.site.zone))).toMatchObject({
      sensor_counts: [
        { parking_gateway_id: sensors.guidance, occupied_count: 1 },
        { parking_gateway_id: sensors.lower, occupied_count: 0 },
      ],
    });
    expect(zones.get(String(world.site.lowerZone))).toMatchObject({
      sensor_counts: [{ parking_gateway_id: sensors.lower, occupied_count: 0 }],
    });
  });
});
