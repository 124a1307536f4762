import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LPR_CAMERA } from '../../../cloud/equipment/camera/camera-resource.js';
import { GATEWAY_ANSWER } from '../../../cloud/equipment/gateway/gateway-resource.js';
import { gatewayWithCodeSchema } from '../../../cloud/equipment/gateway/gateway-routes.js';
import { LOT_ANSWER } from '../../../cloud/site/lot/lot-resource.js';
import { PLACE_ANSWER } from '../../../cloud/equipment/place/place-resource.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { PARKING_GATEWAY_ANSWER } from '../../../cloud/equipment/sensor/parking-gateway-resource.js';
import { ZONE_ANSWER } from '../../../cloud/site/zone/zone-resource.js';
import { ADMIN_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { sessionRow } from '../session/session-site.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';

describe('what stands in a site, over REST', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());
  beforeEach(() => void world.notified());

  const lotOf = async (name: string, token?: string) =>
    LOT_ANSWER.schema.parse(await world.post('/v2/lots', { name, timezone: 'Europe/Zagreb' }, token));
  const zoneIn = async (lot_id: number, name = 'Level 0') =>
    ZONE_ANSWER.schema.parse(await world.post('/v2/zones', { lot_id, name }));

  it('lots: made for whoever makes them, changed in part, deleted with what they were', async () => {
    const lot = await lotOf('East', ADMIN_TOKEN);
    expect(lot).toMatchObject({ lot_cluster_id: lot.id, address: '', latitude: null, offline_exit: 'open' });
    expect(lot.autonomy_days).toBe(31);
    expect(world.notified()).toEqual([lot.id]);
    expect(await world.get(`/v2/lots/${lot.id}`, ADMIN_TOKEN)).toEqual(lot);
    // Not assigned to anybody else.
    expect(await world.refused('GET', `/v2/lots/${lot.id}`)).toEqual([404, '6']);
    expect(await world.ids('/v2/lots', ADMIN_TOKEN)).toEqual([lot.id, world.site.north]);
    expect(await world.ids('/v2/lots?filter=name:like:orT&sort=name:desc')).toEqual([world.site.north]);
    const changed = await world.patch(`/v2/lots/${lot.id}`, { latitude: 45.8, offline_exit: 'deny' }, ADMIN_TOKEN);
    expect(changed).toMatchObject({ name: 'East', timezone: 'Europe/Zagreb', latitude: 45.8, offline_exit: 'deny' });
    expect(await world.patch(`/v2/lots/${lot.id}`, {}, ADMIN_TOKEN)).toMatchObject({ latitude: 45.8 });
    for (const autonomy_days of [7, 366]) {
      expect(await world.patch(`/v2/lots/${lot.id}`, { autonomy_days }, ADMIN_TOKEN)).toMatchObject({ autonomy_days });
    }
    for (const autonomy_days of [6, 367, 7.5, null]) {
      const said = await world.refused('PATCH', `/v2/lots/${lot.id}`, { autonomy_days }, ADMIN_TOKEN);
      expect([autonomy_days, said]).toEqual([autonomy_days, [422, '23 autonomy_days']]);
    }
    expect(await world.remove(`/v2/lots/${lot.id}`, ADMIN_TOKEN)).toMatchObject({ id: lot.id, latitude: 45.8 });
    expect(await world.refused('DELETE', `/v2/lots/${lot.id}`, undefined, ADMIN_TOKEN)).toEqual([404, '6']);
  });

  it('tells every wrong field of a body at once, ids among them, and unknown keys', async () => {
    const { site } = world;
    const body = { lot_id: site.rivalLot, spot_count: -1, tariff_ids: [site.tariff, 999], colour: 'red' };
    expect(await world.refused('POST', '/v2/zones', body)).toEqual([
      422,
      '23 name',
      '23 spot_count',
      '23 colour',
      '23 lot_id',
      '23 tariff_ids.1',
    ]);
    // Unknown, another account's, not assigned: the same answer.
    for (const lot_id of [999, site.rivalLot, site.south]) {
      expect(await world.refused('POST', '/v2/zones', { lot_id, name: 'x' }, ADMIN_TOKEN)).toEqual([422, '23 lot_id']);
    }
    expect(await world.refused('POST', '/v2/lots', { name: ' ', timezone: 'Mars/Base' })).toEqual([
      422,
      '23 name',
      '23 timezone',
    ]);
    expect(await world.refused('PATCH', '/v2/zones/999', { spot_count: 'many' })).toEqual([404, '6']);
    const many = Array.from({ length: 12_000 }, (_, at) => at + 1);
    expect(await world.refused('PATCH', `/v2/zones/${site.zone}`, { tariff_ids: many })).toEqual([
      422,
      '23 tariff_ids',
    ]);
  });

  it('zones: with their tariffs in order and what they hold', async () => {
    const { site, cloud } = world;
    const body = { lot_id: site.north, name: 'Roof', tariff_ids: [site.yen, site.tariff], spot_count: 3 };
    const zone = ZONE_ANSWER.schema.parse(await world.post('/v2/zones', body));
    expect(zone).toMatchObject({ ...body, description: '', occupied_count: 0, deleted_at: null });
    expect(world.notified()).toEqual([site.north]);
    const hour = 3_600_000;
    const now = cloud.clock.now();
    await cloud.store.change(async (tx) => {
      const inZone = { zone_id: zone.id };
      await tx
        .insertInto('sessions')
        .values([
          sessionRow(site, { ...inZone, created_at: now - hour }),
          sessionRow(site, { ...inZone, created_at: now - 80 * hour }),
          sessionRow(site, { ...inZone, created_at: now - hour, ended_at: now }),
        ])
        .execute();
    });
    expect(await world.get(`/v2/zones/${zone.id}`)).toMatchObject({ occupied_count: 1 });
    const gateway = await world.post('/v2/parking-gateways', { lot_id: site.north, name: 'A', driver: 'http' });
    const place = { zone_id: zone.id, parking_gateway_id: gateway.id };
    const watched = await world.post('/v2/parking-places', { ...place, name: 'P1', sensor: '1' });
    expect(await world.get(`/v2/zones/${zone.id}`)).toMatchObject({ occupied_count: 1 });
    await cloud.store.change((tx) =>
      tx.updateTable('parking_places').set({ first_heard_at: now }).where('id', '=', Number(watched.id)).execute(),
    );
    // Sensors tell better than sessions, as soon as they have said anything.
    expect(await world.get(`/v2/zones/${zone.id}`)).toMatchObject({ occupied_count: 0 });
    const changed = await world.patch(`/v2/zones/${zone.id}`, { tariff_ids: [site.tariff], lot_id: site.north });
    expect(changed).toMatchObject({ tariff_ids: [site.tariff], spot_count: 3 });
    expect(await world.refused('PATCH', `/v2/zones/${zone.id}`, { lot_id: site.south })).toEqual([422, '23 lot_id']);
    expect(await world.ids(`/v2/zones?filter=lot_id:eq:${site.south}`)).toEqual([site.southZone]);
    for (const id of await world.ids(`/v2/sessions?filter=zone_id:eq:${zone.id}&filter=status:eq:open`)) {
      await world.post(`/v2/sessions/${id}/close`, {});
    }
    expect(await world.remove(`/v2/zones/${zone.id}`)).toMatchObject({ id: zone.id, tariff_ids: [site.tariff] });
  });

  it('parking gateways and places: of one lot, with the defaults of their kind', async () => {
    const { site } = world;
    const made = { lot_id: site.north, name: 'Modbus', driver: 'modbus-tcp', address: '192.168.1.30:502' };
    const register = { function: 3, base: 100, occupied: { below: 1500 } };
    const gateway = PARKING_GATEWAY_ANSWER.schema.parse(
      await world.post('/v2/parking-gateways', { ...made, register }),
    );
    expect(gateway).toMatchObject({ ...made, unit: 1, poll_ms: 1_000, heartbeat_s: 30, status: 'offline' });
    expect(gateway.register).toEqual({ ...register, occupied: { below: 1500, hysteresis: 0 }, sentinels: [] });
    const radio = await world.post<{ id: number }>('/v2/parking-gateways', {
      lot_id: site.south,
      name: 'LoRa',
      driver: 'ttn',
      address: 'mqtt://10.0.0.5',
    });
    expect(radio).toMatchObject({ unit: null, heartbeat_s: 10_800, register: null });
    const place = PLACE_ANSWER.schema.parse(
      await world.post('/v2/parking-places', { zone_id: site.zone, name: 'P7', parking_gateway_id: gateway.id }),
    );
    expect(place).toMatchObject({ lot_id: site.north, occupancy_status: 'free', sensor: null });
    expect(world.notified()).toEqual([site.north, site.south]);
    const path = `/v2/parking-places/${place.id}`;
    expect(await world.refused('PATCH', path, { parking_gateway_id: radio.id })).toEqual([
      422,
      '23 parking_gateway_id',
    ]);
    expect(await world.refused('PATCH', path, { zone_id: site.southZone })).toEqual([422, '23 zone_id']);
    expect(await world.patch(path, { zone_id: site.freeZone, sensor: '4' })).toMatchObject({
      zone_id: site.freeZone,
      sensor: '4',
    });
    expect(await world.ids('/v2/parking-places?filter=occupancy_status:eq:free&filter=name:eq:P7')).toEqual([place.id]);
    expect(await world.remove(`/v2/parking-gateways/${gateway.id}`)).toMatchObject({ register: gateway.register });
    const heard = { zone_id: site.southZone, parking_gateway_id: radio.id };
    const first = await world.post<{ id: number }>('/v2/parking-places', {
      ...heard,
      name: 'P8',
      sensor: '647FDA000000A001',
    });
    const second = { ...heard, name: 'P9', sensor: '64-7f-da-00-00-00-a0-01' };
    expect(await world.refused('POST', '/v2/parking-places', second)).toEqual([422, '23 sensor']);
    expect(await world.patch(`/v2/parking-places/${first.id}`, { sensor: second.sensor })).toMatchObject({
      sensor: second.sensor,
    });
    expect(
      await world.refused('POST', '/v2/parking-gateways', { lot_id: site.south, name: 'Deaf', driver: 'ttn' }),
    ).toEqual([422, '23 address']);
    expect(await world.get(path)).toMatchObject({ parking_gateway_id: null });
    expect(await world.remove(path)).toMatchObject({ id: place.id });
  });

  it('cameras: secrets go in and never come out; what they work with is in their lot', async () => {
    const { site, cloud } = world;
    const lot = await lotOf('Cameras');
    const zone = await zoneIn(lot.id);
    const gateway = await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', lot_id: lot.id });
    world.notified();
    const body = {
      zone_id: zone.id,
      device_id: 'cam-1',
      name: 'Entry',
      driver: 'hikvision',
      address: 'http://10.0.0.2',
    };
    const secret = { username: 'admin', password: 'pass word', push_key: 'in-the-path' };
    const camera = LPR_CAMERA.schema.parse(await world.post('/v2/lpr-cameras', { ...body, ...secret }));
    expect(world.notified()).toEqual([lot.id]);
    // The lot's only gateway reads it.
    expect(camera).toMatchObject({ ...body, gateway_id: gateway.id, product_id: null, debounce_time: 15 });
    expect(camera).toMatchObject({ connected_device_type: 'standalone', timezone: 'UTC', last_seen: null });
    const row = await cloud.store.reader.selectFrom('lpr_cameras').selectAll().executeTakeFirstOrThrow();
    expect(row.username).toBe('admin');
    expect(cloud.secrets.open('camera_password', row.password_sealed).toString()).toBe('pass word');
    expect(cloud.secrets.open('camera_push_key', row.push_key_sealed).toString()).toBe('in-the-path');

    const path = `/v2/lpr-cameras/${camera.id}`;
    expect(await world.patch(path, { push_key: 'new' })).toMatchObject({ name: 'Entry' });
    const changed = await cloud.store.reader.selectFrom('lpr_cameras').selectAll().executeTakeFirstOrThrow();
    expect(changed.password_sealed).toBe(row.password_sealed);
    expect(cloud.secrets.open('camera_push_key', changed.push_key_sealed).toString()).toBe('new');
    expect(await world.refused('POST', '/v2/lpr-cameras', body)).toEqual([422, '23 device_id']);
    expect(await world.refused('PATCH', path, { zone_id: site.zone })).toEqual([422, '23 gateway_id']);
    world.notified();
    await world.patch(path, { zone_id: site.zone, gateway_id: null });
    expect(world.notified()).toEqual([lot.id, site.north]);
    expect(await world.ids(`/v2/lpr-cameras?filter=lot_id:eq:${site.north}&filter=status:eq:offline`)).toEqual([
      camera.id,
    ]);
    expect(await world.remove(path)).toMatchObject({ id: camera.id, zone_id: site.zone });
  });

  it('gateways: a code once, slots of their lot, a disconnection when they go', async () => {
    const { site, cloud } = world;
    const made = gatewayWithCodeSchema.parse(
      await world.post('/v2/gateways', { name: 'Entrance', lot_id: site.south, uuid: UUID }),
    );
    const { claim_code, claim_qr, ...record } = made;
    expect(record).toMatchObject({ uuid: UUID, status: 'offline', claimed_at: null, agent_version: null });
    expect(claim_qr).toBe(`${cloud.base}/v2/gateways/claim#${claim_code}`);
    expect(await world.get(`/v2/gateways/${made.id}`)).toEqual(GATEWAY_ANSWER.schema.parse(record));
    const rowOf = (id: number) =>
      cloud.store.reader.selectFrom('gateways').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(await rowOf(made.id)).toMatchObject({
      slot: 1,
      claim_code_hash: hashToken(claim_code ?? ''),
      claim_expires_at: cloud.clock.now() + 15 * 60_000,
    });
    expect(await world.refused('POST', '/v2/gateways', { name: 'Twin', uuid: UUID })).toEqual([422, '23 uuid']);

    const spare = await world.post<{ id: number }>('/v2/gateways', { name: 'Spare' });
    world.notified();
    await world.patch(`/v2/gateways/${spare.id}`, { lot_id: site.south });
    expect(world.notified()).toEqual([null, site.south]);
    expect(await rowOf(spare.id)).toMatchObject({ lot_id: site.south, slot: 2 });

    await cloud.store.change((tx) =>
      tx.updateTable('gateways').set({ claimed_at: 1, public_key: 'A' }).where('id', '=', made.id).execute(),
    );
    const again = gatewayWithCodeSchema.parse(await world.post(`/v2/gateways/${made.id}/claim-code`, undefined));
    expect(again.claim_code).not.toBe(claim_code);
    expect(again.claimed_at).toBeNull();
    expect(await rowOf(made.id)).toMatchObject({
      claimed_at: null,
      claim_code_hash: hashToken(again.claim_code ?? ''),
    });
    const other = { uuid: UUID.replace('0d', '1d') };
    expect(await world.refused('PATCH', `/v2/gateways/${made.id}`, other)).toEqual([422, '23 uuid']);

    expect(await world.ids('/v2/gateways?filter=name:in:Entrance,Spare&sort=name:asc')).toEqual([made.id, spare.id]);
    cloud.notified.splice(0);
    expect(await world.remove(`/v2/gateways/${made.id}`)).toMatchObject({ id: made.id, uuid: UUID });
    expect(cloud.notified).toContainEqual({ disconnected: UUID });
    expect(world.notified()).toEqual([site.south]);
    await world.remove(`/v2/gateways/${spare.id}`);
  });

  it('a lot has fifteen gateways at most', async () => {
    const lot = await lotOf('Many gateways');
    for (let made = 1; made <= 15; made++) await world.post('/v2/gateways', { name: `G${made}`, lot_id: lot.id });
    expect(await world.refused('POST', '/v2/gateways', { name: 'G16', lot_id: lot.id })).toEqual([422, '23 lot_id']);
  });
});
