import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applySite } from '../../../cloud/doors/site-file/apply-site.js';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { reportSite } from '../../../cloud/doors/site-file/site-report.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { systemClock } from '../../../shared/system-clock.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const REGISTER = { function: 3, base: 10, occupied: { below: 1500 } };

describe('what REST and site files ask alike', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const make = (path: string, json: object) => world.post<{ id: number }>(path, json);

  it.each([
    ['/v2/zones', () => ({ lot_id: world.site.north }), () => ({ lot_id: world.site.south })],
    ['/v2/parking-places', () => ({ zone_id: world.site.zone }), () => ({ zone_id: world.site.southZone })],
    [
      '/v2/parking-gateways',
      () => ({ lot_id: world.site.north, driver: 'http' }),
      () => ({ lot_id: world.site.south, driver: 'http' }),
    ],
  ])('%s: one name is one thing of a lot', async (path, here, there) => {
    const first = await make(path, { name: 'Twin', ...here() });
    expect(await world.refused('POST', path, { name: ' Twin ', ...here() })).toEqual([422, '23 name']);
    // Another lot may have one, too.
    const other = await make(path, { name: 'Twin', ...there() });
    const second = await make(path, { name: 'Another', ...here() });
    expect(await world.refused('PATCH', `${path}/${second.id}`, { name: 'Twin' })).toEqual([422, '23 name']);
    expect(await world.patch(`${path}/${first.id}`, { name: 'Twin' })).toMatchObject({ name: 'Twin' });
    expect(await world.patch(`${path}/${second.id}`, { name: 'Second' })).toMatchObject({ name: 'Second' });
    for (const { id } of [first, other, second]) await world.remove(`${path}/${id}`);
  });

  it('a name is one name, composed or not', async () => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    const lot_id = world.site.north;
    const first = await make('/v2/zones', { lot_id, name: decomposed });
    expect(first).toMatchObject({ name: composed });
    for (const name of [composed, decomposed]) {
      expect(await world.refused('POST', '/v2/zones', { lot_id, name })).toEqual([422, '23 name']);
    }
    const zones = [composed, decomposed].map((name) => ({ name }));
    const text = JSON.stringify({ version: 1, accounts: [{ name: 'A', lots: [{ name: 'L', zones }] }] });
    expect(() => readSiteFile('site.yaml', text)).toThrow(/zones\[1\]\.name: another zone has Caf\u00e9 already/);
    await world.remove(`/v2/zones/${first.id}`);
  });

  it('one sensor of a parking gateway watches one place', async () => {
    const { site } = world;
    const gateways = [];
    for (const name of ['One', 'Other']) {
      gateways.push((await make('/v2/parking-gateways', { lot_id: site.north, name, driver: 'http' })).id);
    }
    const [one, other] = gateways;
    const path = '/v2/parking-places';
    const place = (name: string, more: object) => ({ zone_id: site.zone, name, ...more });
    const first = await make(path, place('S1', { parking_gateway_id: one, sensor: 'a' }));
    const twin = place('S2', { parking_gateway_id: one, sensor: 'a' });
    expect(await world.refused('POST', path, twin)).toEqual([422, '23 sensor']);
    const second = await make(path, place('S2', { parking_gateway_id: other, sensor: 'a' }));
    const third = await make(path, place('S3', { parking_gateway_id: one, sensor: 'b' }));
    const moved = { parking_gateway_id: one };
    expect(await world.refused('PATCH', `${path}/${second.id}`, moved)).toEqual([422, '23 sensor']);
    expect(await world.refused('PATCH', `${path}/${third.id}`, { sensor: 'a' })).toEqual([422, '23 sensor']);
    expect(await world.patch(`${path}/${first.id}`, { sensor: 'a', ...moved })).toMatchObject({ sensor: 'a' });
    // Places without a sensor have none in common.
    for (const name of ['S4', 'S5']) await make(path, place(name, { parking_gateway_id: one }));
    for (const id of await world.ids(`${path}?filter=name:like:S&size=100`)) await world.remove(`${path}/${id}`);
    for (const id of gateways) await world.remove(`/v2/parking-gateways/${id}`);
  });

  it('the driver of a parking gateway is one that can have the sensors of its places', async () => {
    const { site } = world;
    const gateway = await make('/v2/parking-gateways', { lot_id: site.north, name: 'Changing', driver: 'http' });
    const one = `/v2/parking-gateways/${gateway.id}`;
    const place = { zone_id: site.zone, parking_gateway_id: gateway.id, name: 'Watched', sensor: '64a001' };
    const { id } = await make('/v2/parking-places', place);
    const modbus = { driver: 'modbus-tcp', address: '10.0.0.5:502', register: REGISTER };
    const { status, body } = await world.cloud.ask('PATCH', one, { token: OWNER_TOKEN, json: modbus });
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          code: 23,
          field: 'driver',
          message: expect.stringContaining('The sensor of place Watched must be a register'),
        },
      ],
    ]);
    await world.patch(`/v2/parking-places/${id}`, { sensor: '9' });
    await world.patch(one, modbus);
    const far = { register: { ...REGISTER, base: 65_530 } };
    expect(await world.refused('PATCH', one, far)).toEqual([422, '23 register']);
    await world.remove(`/v2/parking-places/${id}`);
    await world.remove(one);
  });

  it('the heartbeat follows the driver unless somebody chose it', async () => {
    const made = await make('/v2/parking-gateways', { lot_id: world.site.north, name: 'Beating', driver: 'http' });
    const one = `/v2/parking-gateways/${made.id}`;
    expect(made).toMatchObject({ heartbeat_s: 10_800 });
    const modbus = { driver: 'modbus-tcp', address: '10.0.0.5:502', register: REGISTER };
    expect(await world.patch(one, modbus)).toMatchObject({ heartbeat_s: 30 });
    expect(await world.patch(one, { driver: 'http' })).toMatchObject({ heartbeat_s: 10_800 });
    expect(await world.patch(one, { heartbeat_s: 60 })).toMatchObject({ heartbeat_s: 60 });
    expect(await world.patch(one, { driver: 'modbus-tcp' })).toMatchObject({ heartbeat_s: 60 });
    expect(await world.patch(one, { driver: 'http', heartbeat_s: 90 })).toMatchObject({ heartbeat_s: 90 });
    await world.remove(one);
  });

  it('Modbus needs an address and a register, also after a change', async () => {
    const path = '/v2/parking-gateways';
    const radio = await make(path, { lot_id: world.site.north, name: 'Sensors', driver: 'http' });
    const one = `${path}/${radio.id}`;
    expect(await world.refused('PATCH', one, { driver: 'modbus-tcp' })).toEqual([422, '23 address', '23 register']);
    const modbus = { driver: 'modbus-tcp', address: '10.0.0.5:502', register: REGISTER };
    // What the driver has by default comes with it.
    expect(await world.patch(one, modbus)).toMatchObject({ driver: 'modbus-tcp', unit: 1 });
    expect(await world.refused('PATCH', one, { register: null })).toEqual([422, '23 register']);
    expect(await world.refused('PATCH', one, { address: 'tcp://10.0.0.5' })).toEqual([422, '23 address']);
    expect(await world.patch(one, { address: '10.0.0.6:502', unit: 7 })).toMatchObject({ unit: 7 });
    expect(await world.patch(one, { driver: 'http' })).toMatchObject({ driver: 'http', unit: null });
    await world.remove(one);
  });

  it('the sensor of a place is one that its parking gateway can have', async () => {
    const { site } = world;
    const modbus = { driver: 'modbus-tcp', address: '10.0.0.5:502', register: { ...REGISTER, base: 65_530 } };
    const gateway = await make('/v2/parking-gateways', { lot_id: site.north, name: 'Modbus', ...modbus });
    const place = { zone_id: site.zone, parking_gateway_id: gateway.id, name: 'P1' };
    for (const sensor of ['one', '6']) {
      expect(await world.refused('POST', '/v2/parking-places', { ...place, sensor })).toEqual([422, '23 sensor']);
    }
    const { id } = await make('/v2/parking-places', { ...place, sensor: '5' });
    expect(await world.refused('PATCH', `/v2/parking-places/${id}`, { sensor: 'one' })).toEqual([422, '23 sensor']);
    expect(await world.patch(`/v2/parking-places/${id}`, { name: 'P2' })).toMatchObject({ name: 'P2', sensor: '5' });
    for (const path of [`/v2/parking-places/${id}`, `/v2/parking-gateways/${gateway.id}`]) await world.remove(path);
  });

  it('rows that were made before the rules go on: read, changed elsewhere, and applied to', async () => {
    const { site, cloud } = world;
    const camera = await make('/v2/lpr-cameras', {
      zone_id: site.zone,
      device_id: 'old-cam',
      name: 'Old',
      driver: 'axis',
    });
    const sensors = await make('/v2/parking-gateways', { lot_id: site.north, name: 'Old sensors', driver: 'http' });
    const zones = [
      await make('/v2/zones', { lot_id: site.north, name: 'Old' }),
      await make('/v2/zones', { lot_id: site.north, name: 'Old 2' }),
    ];
    await cloud.store.change(async (tx) => {
      await tx.updateTable('lpr_cameras').set({ driver: 'nikvision' }).where('id', '=', camera.id).execute();
      const broken = { driver: 'modbus-udp', address: '', register: null };
      await tx.updateTable('parking_gateways').set(broken).where('id', '=', sensors.id).execute();
      await tx
        .updateTable('zones')
        .set({ name: 'Old' })
        .where(
          'id',
          'in',
          zones.map(({ id }) => id),
        )
        .execute();
    });
    expect(await world.get(`/v2/lpr-cameras/${camera.id}`)).toMatchObject({ driver: 'nikvision' });
    expect(await world.patch(`/v2/lpr-cameras/${camera.id}`, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    const one = `/v2/parking-gateways/${sensors.id}`;
    expect(await world.patch(one, { name: 'Renamed', unit: 4 })).toMatchObject({ driver: 'modbus-udp', unit: 4 });
    await cloud.store.change((tx) =>
      tx.updateTable('parking_gateways').set({ driver: 'modbus-tcp' }).where('id', '=', sensors.id).execute(),
    );
    // What was wrong before is not what this change made wrong.
    expect(await world.patch(one, { poll_ms: 500 })).toMatchObject({ poll_ms: 500, driver: 'modbus-tcp' });
    for (const { id } of zones) {
      expect(await world.patch(`/v2/zones/${id}`, { description: 'of old', name: 'Old' })).toMatchObject({
        name: 'Old',
      });
    }
    const { name } = await world.get<{ name: string }>(`/v2/lots/${site.north}`);
    const text = JSON.stringify({
      version: 1,
      accounts: [{ name: 'Harbour', lots: [{ name, zones: [{ name: 'Old', spot_count: 3 }] }] }],
    });
    const steps = await applySite(
      readSiteFile('site.yaml', text),
      {
        store: cloud.store,
        secrets: createSecrets(Buffer.alloc(32)),
        passwords: quickPasswords,
        clock: systemClock,
        baseUrl: 'http://127.0.0.1',
      },
      { prune: false, dryRun: false },
    );
    // The oldest is the one that the file means.
    const report = reportSite(steps, { dryRun: false });
    expect(report).toContainEqual(expect.stringMatching(new RegExp(`^changed +zone ${name}/Old \\(`)));
    expect(report).toContainEqual(expect.stringContaining(`zone ${name}/Old (id ${zones[1]?.id})`));
    expect(await world.get(`/v2/zones/${zones[0]?.id}`)).toMatchObject({ spot_count: 3 });
    for (const { id } of zones) await world.remove(`/v2/zones/${id}`);
  });
});
