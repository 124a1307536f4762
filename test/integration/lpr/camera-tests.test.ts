/** `parking-agent cameras test`: what an installer is shown of a camera and its next read, over the local listener. */
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCameraTestRoute } from '../../../agent/console/local-routes.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { renderProbed, renderTestedRead } from '../../../agent/health/render-cameras.js';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { WATCHING_MAX } from '../../../agent/lpr/reads/read-watch.js';
import { type CameraTests, createCameraTests } from '../../../agent/lpr/setup/camera-tests.js';
import { systemClock } from '../../../shared/system-clock.js';
import { entryCamera } from '../../world/entry-camera.js';
import { hikvisionCamera } from '../../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { camera, type PlateWorld, plateWorld } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const ACCOUNT = { username: 'admin', password: 'a secret' };

describe('cameras test', () => {
  let listener: HttpListener;
  let server: LocalServer;
  let world: PlateWorld;
  let tests: CameraTests;

  beforeEach(async () => {
    const device = hikvisionCamera.createDevice(entryCamera(ACCOUNT));
    listener = await listenHttp(device.fetch, { host: '127.0.0.1', port: 0 });
    const address = `http://127.0.0.1:${listener.port}`;
    world = plateWorld({
      zone: { has_tariff: false },
      plates: { ZG4821AB: { plate: 'ZG4821AB', entries: [{ id: 1, scope: 'zone', scope_id: 5 }] } },
      cameras: [
        camera('cam', { address, ...ACCOUNT }),
        camera('cam-auth', { id: 12, address, username: 'admin', password: 'wrong' }),
        camera('cam-push', { id: 13, driver: 'milesight', address: '' }),
        camera('cam-old', { id: 14, driver: 'mystery' }),
      ],
    });
    tests = createCameraTests({
      camera: world.rules.camera,
      drivers: createCameraDrivers(cameraDriverDeps(systemClock)),
      states: world.states,
      watch: world.watch,
      clock: world.clock,
    });
    const app = new Hono().route('/', createCameraTestRoute(tests));
    server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    await world.reads.close();
    await server.close();
    await listener.close();
  });

  const ask = async (body: unknown): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/camera-test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.json();
  };

  it('says whether the camera is there: it answers, refuses the account, cannot be asked, is gone', async () => {
    expect(await ask({ name: 'cam', step: 'probe' })).toMatchObject({
      fault: null,
      probe: { isThere: true, problem: null },
    });
    const probed = await Promise.all(['cam', 'cam-auth', 'cam-push'].map(tests.probe));
    const lines = probed.map((each) => renderProbed(each).replaceAll(/:\d{4,5}/g, ':PORT'));
    expect(lines).toEqual([
      'cam (hikvision, http://127.0.0.1:PORT): answers',
      'cam-auth (hikvision, http://127.0.0.1:PORT): answers (auth), but it refuses the user name and password: correct them (tried again in an hour)',
      'cam-push (milesight): cannot be asked; its reads show that it is there',
    ]);
    await listener.close();
    expect(renderProbed(await tests.probe('cam'))).toContain('NOT THERE: ');
  });

  it('shows the next read with its picture, the decision and why', async () => {
    const drawn = await createVehiclePictures()('ZG4821AB', 'blue');
    const answered = ask({ name: 'cam', step: 'read', seconds: 60 });
    const tested = tests.next('cam', { withinMs: 60_000 });
    await world.reads.handle('cam-push', world.read('OTHER1'));
    const pictures = { full: drawn.scene, plate: drawn.plate, plate_box: null };
    const candidates = [{ raw_plate: 'ZG4B21AB', confidence: 0.4 }];
    await expect.poll(() => world.watch.waiting()).toBe(2);
    await world.reads.handle(
      'cam',
      world.read('ZG-4821-AB', { pictures, candidates, color: 'blue', country_code: 'HR' }),
    );
    const read = await tested;
    expect(await answered).toMatchObject({ fault: null, raw_plate: 'ZG-4821-AB' });
    expect(Buffer.from(read.pictures.full?.base64 ?? '', 'base64').equals(drawn.scene)).toBe(true);
    expect(
      renderTestedRead(read)
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toMatchInlineSnapshot(`
      [
        "plate      ZG-4821-AB  the camera wrote "ZG-4821-AB" (0.90)",
        "or         ZG4B21AB (0.40)",
        "direction  in  the camera saw: towards",
        "time       2026-01-15T12:00:00.000Z  the camera's clock is 0.0 s behind",
        "vehicle    car, blue, HR",
        "picture    1280 x 720, 24 KiB",
        "of plate   424 x 96, 8 KiB",
        "decision   denied: no_tariff; nothing is opened",
        "",
        "rule                outcome  what it saw",
        "plate               passed   plate=ZG4821AB",
        "direction           passed   direction=in",
        "retransmission      passed   retransmission=0 age_ms=0 age_max_ms=30000",
        "debounce            passed   debounce_ms=15000 elapsed_ms=- opening_failed=-",
        "direction_mismatch  passed   direction=in lpr_position=in",
        "whitelist           passed   whitelisted=0",
        "tariff              denied   has_tariff=0 spot_count=0 occupied_count=-",
        "",
        "would differ with  is  instead  then",
        "whitelisted        0   1        triggered: whitelist",
        "has_tariff         0   1        triggered: tariff",
      ]
    `);
  });

  it('shows a sighting, of which nothing is decided', async () => {
    const tested = tests.next('cam', { withinMs: 60_000 });
    await world.reads.handle('cam', world.read(''));
    const read = await tested;
    expect(read.decision).toBeNull();
    expect(renderTestedRead(read)).toContain('none: a sighting');
  });

  it('says what is wrong: the name, the driver, the body, and that nothing was read in time', async () => {
    expect(await ask({ name: 'nobody', step: 'probe' })).toEqual({
      fault: 'there is no camera nobody; parking-agent cameras list shows them',
    });
    await expect(tests.probe('cam-old')).rejects.toThrow('this agent has no driver mystery');
    expect(await ask({ name: 'cam', step: 'read', seconds: 241 })).toMatchObject({
      fault: expect.stringContaining('the body'),
    });
    const silent = expect(tests.next('cam', { withinMs: 30_000 })).rejects.toThrow(
      'no vehicle was read within 30 s: it said nothing at all; it has to push to /lpr/hikvision/cam/KEY',
    );
    await world.clock.advance(30_000);
    await silent;
    const alive = expect(tests.next('cam', { withinMs: 30_000 })).rejects.toThrow('cameras map cam');
    world.states.recordPush('cam');
    await world.clock.advance(30_000);
    await alive;
  });

  it('lets only so many wait, and forgets those who left', async () => {
    const leaving = new AbortController();
    const first = tests.next('cam', { withinMs: 60_000, signal: leaving.signal });
    const others = Array.from({ length: WATCHING_MAX - 1 }, () => tests.next('cam', { withinMs: 60_000 }));
    await expect(tests.next('cam', { withinMs: 60_000 })).rejects.toThrow('try again when they have ended');
    leaving.abort();
    await expect(first).rejects.toThrow('no vehicle was read');
    expect(world.watch.waiting()).toBe(WATCHING_MAX - 1);
    await world.reads.handle('cam', world.read('ZG4821AB'));
    expect((await Promise.all(others)).map(({ raw_plate }) => raw_plate)).toEqual(others.map(() => 'ZG4821AB'));
    expect(world.watch.waiting()).toBe(0);
  });
});
