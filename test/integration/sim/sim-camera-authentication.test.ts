/** How each simulated camera proves who it is, and asks who is there: as the table of the simulator's README says it. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createFrigateDriver } from '../../../agent/lpr/frigate/frigate-driver.js';
import { CAMERA_DRIVER_NAMES, type CameraDriverName } from '../../../shared/drivers/camera-driver-list.js';
import { systemClock } from '../../../shared/system-clock.js';
import { ALL_CAMERAS } from '../../../scripts/sim/cameras/all-cameras.js';
import type { CameraEvent, PushRequest } from '../../../scripts/sim/cameras/camera-vendor.js';
import { entryCamera } from '../../world/entry-camera.js';
import { createSimBrokers } from '../../../scripts/sim/sensors/sim-brokers.js';
import { freePorts } from '../../world/free-ports.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { jpegLike } from '../../unit/lpr/multipart-builder.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { pushWorld } from '../../unit/lpr/push-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const ACCOUNT = { username: 'admin', password: 'a secret of the camera' };
const MAPPING = { plate: 'plate', time: { at: 'time' }, event_id: 'id' };

interface Row {
  driver: CameraDriverName;
  push: string;
  address: string;
}

/** `| driver | what shows whose push it is | who may ask |` */
const ROWS: Row[] = [
  ...readFileSync(new URL('../../../../scripts/sim/README.md', import.meta.url), 'utf8').matchAll(
    /^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/gm,
  ),
].map(([, driver, push = '', address = '']) => ({ driver: driver as CameraDriverName, push, address }));
const POSTING = ROWS.filter(({ push }) => push.startsWith('the key'));
const WITHOUT_OWN = POSTING.filter(({ push }) => push.startsWith('the key:'));

const cameraOf = (driver: CameraDriverName, change = {}) =>
  entryCamera({ device_id: 'cam', driver, push_key: 'right-key', ...ACCOUNT, ...change });

/** What a camera of this driver posts of a vehicle at a moment. */
function pushOf(driver: CameraDriverName, { wallMs, change = {} }: { wallMs: number; change?: object }): PushRequest {
  const picture = Buffer.from(jpegLike('a picture'));
  const plateBox = { x: 0.5, y: 0.5, width: 0.1, height: 0.05 };
  const event: CameraEvent = {
    uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    wallMs,
    read: { plate: 'ZG4821AB', direction: 'in' },
    pictures: { color: 'blue', scene: picture, plate: picture, plateBox },
  };
  const request = ALL_CAMERAS[driver]?.encode?.(cameraOf(driver, change), event, false) ?? null;
  if (request === null) throw new Error(`${driver} does not post`);
  return request;
}

/** A gateway with one camera of the driver, at whose listener it posts. */
function gatewayOf(driver: CameraDriverName, settings: { password?: string } = {}) {
  const own = { mapping: driver === 'mapping' ? MAPPING : null, ...ACCOUNT, ...settings };
  const world = pushWorld({ cameras: [camera('cam', { driver, ...own })] });
  async function post({ contentType, body, path = '', headers = {} }: PushRequest, key = 'right-key') {
    const url = `/lpr/${driver}/cam/${key}${path}`;
    return (await world.post(body, url, { 'content-type': contentType, ...headers })).status;
  }
  return {
    post,
    reasons: () => world.quarantined.map(({ reason }) => reason),
    readsCount: () => world.store.reads.length,
    wallMs: world.clock.now(),
  };
}

describe('the table of how simulated cameras prove who they are', () => {
  it('has each driver once', () => {
    expect(ROWS.map(({ driver }) => driver).toSorted()).toEqual([...CAMERA_DRIVER_NAMES].toSorted());
    const posting = CAMERA_DRIVER_NAMES.filter((name) => (ALL_CAMERAS[name]?.encode ?? null) !== null);
    expect(POSTING.map(({ driver }) => driver).toSorted()).toEqual(posting.toSorted());
  });
});

describe('a push of a simulated camera', () => {
  it.each(POSTING)('is taken by its key for $driver, and by no other', async ({ driver }) => {
    const gateway = gatewayOf(driver);
    const push = pushOf(driver, gateway);
    expect([await gateway.post(push, 'wrong-key'), gateway.readsCount()]).toEqual([404, 0]);
    expect([await gateway.post(push), gateway.readsCount(), gateway.reasons()]).toEqual([200, 1, []]);
  });

  it.each(WITHOUT_OWN)('has no credential beside the key for $driver', ({ driver }) => {
    const [one, other] = ['a secret', 'another secret'].map((password) =>
      pushOf(driver, { wallMs: 1_768_478_400_000, change: { username: 'admin', password } }),
    );
    expect(one).toEqual(other);
  });

  it('is signed by its secret for Verkada, and put aside without', async () => {
    const gateway = gatewayOf('verkada');
    const push = pushOf('verkada', gateway);
    expect(push.headers).toEqual({ 'Verkada-Signature': expect.stringMatching(/^\d+\|[0-9a-f]{64}$/) });
    for (const password of ['', 'another secret'])
      expect(await gateway.post(pushOf('verkada', { ...gateway, change: { password } }))).toBe(200);
    expect(gateway.reasons()).toEqual(['no Verkada-Signature', 'its Verkada-Signature is not by this secret']);
    expect(gateway.readsCount()).toBe(0);
    await gateway.post(push);
    expect(gateway.readsCount()).toBe(1);
  });

  it('has the key alone for a Verkada camera without a secret, which is enough, and needed', async () => {
    const gateway = gatewayOf('verkada', { password: '' });
    const push = pushOf('verkada', { ...gateway, change: { password: '' } });
    expect(push.headers).toBeUndefined();
    expect([await gateway.post(push, 'wrong-key'), gateway.readsCount()]).toEqual([404, 0]);
    expect([await gateway.post(push), gateway.readsCount(), gateway.reasons()]).toEqual([200, 1, []]);
  });
});

describe('the address of a simulated camera', () => {
  const isBy = (way: RegExp) => ROWS.filter(({ address }) => way.test(address));
  const ask = async (driver: CameraDriverName, path: string, init: RequestInit = {}) => {
    const device = ALL_CAMERAS[driver]?.createDevice(cameraOf(driver), { subscribe: () => () => {} });
    if (device === undefined) throw new Error(`${driver} is not simulated`);
    return device.request(`http://camera.example${path}`, { redirect: 'manual', ...init });
  };

  it.each(isBy(/^by digest/))('asks for its account by digest for $driver', async ({ driver }) => {
    const answer = await ask(driver, '/ISAPI/System/deviceInfo');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Digest /)]);
    const basic = { authorization: `Basic ${btoa(`${ACCOUNT.username}:${ACCOUNT.password}`)}` };
    expect((await ask(driver, '/ISAPI/System/deviceInfo', { headers: basic })).status).toBe(401);
  });

  it.each(isBy(/WS-UsernameToken/))('asks for its account in the message for $driver', async ({ driver }) => {
    const body = '<s:Envelope><s:Body><tds:GetDeviceInformation/></s:Body></s:Envelope>';
    const answer = await ask(driver, '/onvif/device', { method: 'POST', body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('ter:NotAuthorized')]);
    expect((await ask(driver, '/snapshot.jpg')).status).toBe(401);
  });

  it.each(isBy(/cookie/))('leads to its log-in for $driver', async ({ driver }) => {
    const answer = await ask(driver, '/vb.htm?gethttpconfigall=1');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login.htm']);
    const headers = { cookie: 'sessionID=0' };
    expect((await ask(driver, '/vb.htm?gethttpconfigall=1', { headers })).status).toBe(302);
  });

  it.each(isBy(/^nothing answers/))('has nothing to ask for when it is $driver', async ({ driver }) => {
    expect((await ask(driver, '/')).status).toBe(404);
  });

  describe('at a broker', () => {
    const brokers = createSimBrokers();
    afterEach(() => brokers.close());

    it('lets in who has the account of one of its cameras, and nobody else', async () => {
      const [port = 0] = await freePorts(1);
      const address = `mqtt://127.0.0.1:${port}`;
      await brokers.at(new URL(address), ACCOUNT);
      const driver = createFrigateDriver(cameraDriverDeps(systemClock));
      async function firstFault(settings: { username: string; password: string }): Promise<string | null> {
        const faults: (string | null)[] = [];
        const listener = {
          onRead: () => Promise.resolve(),
          onAlive() {},
          onMalformed() {},
          onFault: (reason: string | null) => void faults.push(reason),
        };
        const source = driver.source?.(camera('cam', { driver: 'frigate', address, ...settings }), listener);
        await waitUntil('the broker to answer', () => faults.length > 0);
        await source?.close();
        return faults[0] ?? null;
      }
      expect(await firstFault({ username: '', password: '' })).toMatch(/\w/);
      expect(await firstFault({ ...ACCOUNT, password: 'another secret' })).toMatch(/\w/);
      expect(await firstFault(ACCOUNT)).toBeNull();
      // One that is heard there without an account lets anybody hear it.
      await brokers.at(new URL(address));
      expect(await firstFault({ username: '', password: '' })).toBeNull();
    });
  });
});
