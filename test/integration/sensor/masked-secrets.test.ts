/** Secrets in the settings of devices: REST shows none of them, in no answer, event or entry of the audit log, and gateways get them all. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parkingGatewayConfigItem } from '../../../cloud/equipment/sensor/parking-gateway-config-payload.js';
import { findParkingGateway } from '../../../cloud/equipment/sensor/parking-gateway-queries.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

interface Shown {
  id: number;
  driver: string;
  address: string;
  application: string | null;
}

const BROKER = 'mqtt://parking:S3cret@10.0.0.5:1883';
const SHOWN_BROKER = 'mqtt://parking:***@10.0.0.5:1883';
const KEY = 'S3cret-push-key';

let world: RestWorld;
let made = 0;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world?.cloud.close());

const guidance = (settings: object) =>
  world.post<Shown>('/v2/parking-gateways', { lot_id: world.site.north, name: `G${made++}`, ...settings });
const one = ({ id }: Pick<Shown, 'id'>) => `/v2/parking-gateways/${id}`;
/** What its gateway gets. */
async function configured({ id }: Pick<Shown, 'id'>) {
  const row = await findParkingGateway(world.cloud.store.reader, id);
  if (row === undefined) throw new Error('it is gone');
  const { address, application } = parkingGatewayConfigItem(row, [], []);
  return { address, application };
}

describe('the address of a parking gateway', () => {
  it('is shown without its password in every answer, and stays when it is sent back', async () => {
    const lora = await guidance({ driver: 'chirpstack', address: BROKER, application: 'parking' });
    expect(lora).toMatchObject({ address: SHOWN_BROKER, application: 'parking' });
    expect(await world.get(one(lora))).toMatchObject({ address: SHOWN_BROKER });
    expect(await world.get(`/v2/parking-gateways?filter=id:eq:${lora.id}`)).toMatchObject([{ address: SHOWN_BROKER }]);
    const renamed = await world.patch<Shown>(one(lora), { name: 'Renamed', address: lora.address });
    expect(renamed).toMatchObject({ name: 'Renamed', address: SHOWN_BROKER });
    expect(await configured(lora)).toEqual({ address: BROKER, application: 'parking' });
    await world.patch(one(lora), { address: 'mqtt://parking:N3w@10.0.0.6:1883' });
    expect((await configured(lora)).address).toBe('mqtt://parking:N3w@10.0.0.6:1883');
    expect(await world.remove(one(lora))).toMatchObject({ address: 'mqtt://parking:***@10.0.0.6:1883' });
  });

  it('does not go to another server with the password in it', async () => {
    const lora = await guidance({ driver: 'ttn', address: BROKER });
    const elsewhere = { address: 'mqtt://parking:***@198.51.100.7:1883' };
    expect(await world.refused('PATCH', one(lora), elsewhere)).toEqual([422, '23 address']);
    expect((await configured(lora)).address).toBe(BROKER);
    const copy = { lot_id: world.site.north, name: 'Copy', driver: 'ttn', address: SHOWN_BROKER };
    expect(await world.refused('POST', '/v2/parking-gateways', copy)).toEqual([422, '23 address']);
  });
});

describe('the key of pushes', () => {
  it('is not shown, stays when its mask is sent back, and may be changed', async () => {
    const push = await guidance({ driver: 'http', application: KEY });
    expect(push.application).toBe('***');
    expect(await world.get(one(push))).toMatchObject({ application: '***' });
    expect(await world.patch(one(push), { application: '***', heartbeat_s: 60 })).toMatchObject({ application: '***' });
    expect((await configured(push)).application).toBe(KEY);
    await world.patch(one(push), { application: 'another' });
    expect((await configured(push)).application).toBe('another');
    expect(await world.patch(one(push), { application: null })).toMatchObject({ application: null });
  });

  it('is not shown when the driver changes, as another one would show it', async () => {
    const push = await guidance({ driver: 'http', application: KEY });
    expect(await world.refused('PATCH', one(push), { driver: 'ttn', address: BROKER, application: '***' })).toEqual([
      422,
      '23 application',
    ]);
    const changed = await world.patch<Shown>(one(push), { driver: 'ttn', address: BROKER });
    expect(changed).toMatchObject({ driver: 'ttn', application: null });
    expect(await world.refused('PATCH', one(push), { driver: 'http', application: '***' })).toEqual([
      422,
      '23 application',
    ]);
  });

  it('cannot be a mask from the beginning', async () => {
    const masked = { lot_id: world.site.north, name: 'Masked', driver: 'http', application: '***' };
    expect(await world.refused('POST', '/v2/parking-gateways', masked)).toEqual([422, '23 application']);
  });
});

describe('the password of a camera', () => {
  const sealedOf = async (id: number) => {
    const row = await world.cloud.store.reader
      .selectFrom('lpr_cameras')
      .select(['address', 'password_sealed'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return [row.address, world.cloud.secrets.open('camera_password', row.password_sealed).toString()];
  };
  const cameraOf = async (settings: object) => {
    const { zone } = world.site;
    const device_id = `moved-${made++}`;
    return world.post<Shown>('/v2/lpr-cameras', {
      zone_id: zone,
      device_id,
      name: 'Gate',
      driver: 'hikvision',
      ...settings,
    });
  };
  const OLD = 'http://10.0.0.8:8080/a';

  it.each([
    ['another host', 'http://198.51.100.7:8080/a'],
    ['another port', 'http://10.0.0.8/a'],
    ['no encryption', 'http://10.0.0.8:8443/a'],
    ['a host beside a user name', 'http://10.0.0.8:8080@198.51.100.7/a'],
  ])('does not go to %s unless it is given again', async (_what, address) => {
    const stored = address.includes('8443') ? 'https://10.0.0.8:8443/a' : OLD;
    const camera = await cameraOf({ address: stored, username: 'admin', password: 'S3cret' });
    const at = `/v2/lpr-cameras/${camera.id}`;
    expect(await world.refused('PATCH', at, { address, name: 'Moved' })).toEqual([422, '23 password']);
    expect(await sealedOf(camera.id)).toEqual([stored, 'S3cret']);
    await world.patch(at, { address, password: 'S3cret' });
    expect(await sealedOf(camera.id)).toEqual([address, 'S3cret']);
    await world.patch(at, { address: stored, password: '' });
    expect(await sealedOf(camera.id)).toEqual([stored, '']);
    // Nothing is stored any more that could go anywhere.
    await world.patch(at, { address });
    expect(await sealedOf(camera.id)).toEqual([address, '']);
  });

  it('stays for another path, and where the address is taken away; a new one needs it', async () => {
    const camera = await cameraOf({ address: OLD, username: 'admin', password: 'S3cret' });
    const at = `/v2/lpr-cameras/${camera.id}`;
    await world.patch(at, { address: 'http://10.0.0.8:8080/b' });
    expect(await sealedOf(camera.id)).toEqual(['http://10.0.0.8:8080/b', 'S3cret']);
    const pushing = await cameraOf({ password: 'S3cret', push_key: 'its-key' });
    expect(await world.refused('PATCH', `/v2/lpr-cameras/${pushing.id}`, { address: OLD })).toEqual([
      422,
      '23 password',
    ]);
  });
});

describe('the address of a display and of a camera', () => {
  it('is shown without its password, and stays when it is sent back', async () => {
    const { north, zone } = world.site;
    const sign = await world.post<Shown>('/v2/rgb-displays', {
      lot_id: north,
      name: 'Sign',
      driver: 'http',
      address: 'http://sign:S3cret@10.0.0.9/show',
    });
    const camera = await world.post<Shown>('/v2/lpr-cameras', {
      zone_id: zone,
      device_id: 'cam-9',
      name: 'Gate',
      driver: 'hikvision',
      address: 'http://admin:S3cret@10.0.0.8',
    });
    for (const [path, table, shown, stored] of [
      ['/v2/rgb-displays', 'rgb_displays', sign, 'http://sign:S3cret@10.0.0.9/show'],
      ['/v2/lpr-cameras', 'lpr_cameras', camera, 'http://admin:S3cret@10.0.0.8'],
    ] as const) {
      expect(shown.address).toBe(stored.replace('S3cret', '***'));
      const at = `${path}/${shown.id}`;
      expect(await world.patch(at, { address: shown.address })).toMatchObject({ address: shown.address });
      expect(await world.refused('PATCH', at, { address: 'http://admin:***@198.51.100.7' })).toEqual([
        422,
        '23 address',
      ]);
      const row = await world.cloud.store.reader
        .selectFrom(table)
        .select('address')
        .where('id', '=', shown.id)
        .executeTakeFirstOrThrow();
      expect(row.address).toBe(stored);
    }
  });
});

describe('what is written of all this', () => {
  it('holds no secret: neither the audit log nor the journal of events', async () => {
    const entries = await world.get<object[]>('/v2/audit-log?size=300');
    expect(entries.length).toBeGreaterThan(10);
    expect(JSON.stringify(entries)).not.toMatch(/S3cret|N3w/);
    const events = await world.cloud.store.reader.selectFrom('events').select('payload').execute();
    expect(JSON.stringify(events)).not.toMatch(/S3cret|N3w/);
  });
});
