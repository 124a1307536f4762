/** A Hikvision camera that was not heard for a while is asked what it read meanwhile. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CameraRead, CameraSource } from '../../../agent/lpr/camera.js';
import { createHikvisionDriver } from '../../../agent/lpr/hikvision/hikvision-driver.js';
import { cameraTime } from '../../../scripts/sim/cameras/hikvision-event-codec.js';
import { entryCamera } from '../../world/entry-camera.js';
import type { CameraEvent } from '../../../scripts/sim/cameras/camera-vendor.js';
import { hikvisionCamera } from '../../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { systemClock } from '../../../shared/system-clock.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const ACCOUNT = { username: 'admin', password: 'a secret' };
const ZONE = 'Europe/Zagreb';
let listener: HttpListener | null = null;
let source: CameraSource | null = null;
afterEach(async () => {
  await source?.close();
  await listener?.close();
});

/** As the camera's list has its times. */
const listed = (plate: string, at_ms: number) => {
  const time = cameraTime(at_ms, ZONE)
    .iso.replace(/\.\d+/, '')
    .replaceAll(/[-:](?=\d)/g, '');
  return `<Plate><captureTime>${time}</captureTime><plateNumber>${plate}</plateNumber><picName>${plate}-1</picName><direction>forward</direction></Plate>`;
};

describe('the catch-up of a Hikvision camera', () => {
  it('asks only after an outage, keeps what was missed as history, and nothing twice', async () => {
    const pictures = await createVehiclePictures()('ZG4821AB', 'blue');
    const hears = new Set<(event: CameraEvent) => void>();
    const device = hikvisionCamera.createDevice(entryCamera({ timezone: ZONE, ...ACCOUNT }), {
      subscribe(hear) {
        hears.add(hear);
        return () => void hears.delete(hear);
      },
    });
    let missed: string[] = [];
    const asked: string[] = [];
    const start = async (port: number) => {
      listener = await listenHttp(
        async (request) => {
          if (!request.url.endsWith('/vehicledetect/plates')) return device.fetch(request);
          // It asks for the account as everywhere.
          const refused = await device.fetch(new Request(request.url, { method: 'POST', headers: request.headers }));
          if (refused.status === 401) return refused;
          asked.push(`${new URL(request.url).pathname} ${await request.text()}`);
          return new Response(`<Plates version="2.0">${missed.join('')}</Plates>`);
        },
        { host: '127.0.0.1', port },
      );
      return listener.port;
    };
    const port = await start(0);
    const reads: CameraRead[] = [];
    const item = camera('cam', {
      address: `http://127.0.0.1:${port}/?channel=2`,
      push_key: '',
      timezone: ZONE,
      ...ACCOUNT,
    });
    const driver = createHikvisionDriver(cameraDriverDeps(systemClock, { random: () => 0 }));
    source =
      driver.source?.(item, {
        onRead: (read) => Promise.resolve(void reads.push(read)),
        onAlive() {},
        onMalformed() {},
        onFault() {},
      }) ?? null;
    await expect.poll(() => hears.size).toBe(1);
    const now = Date.now();
    const event = { uuid: 'seen', wallMs: now, read: { plate: 'SEEN01' }, pictures };
    for (const hear of hears) hear(event);
    // This simulated camera has channel 1: a recorder tells of it to those who listen to channel 2 as well.
    expect(asked).toEqual([]);
    missed = [listed('OLD001', now - 3_600_000), listed('MISSED1', now + 1_000), listed('MISSED2', now + 2_000)];
    await listener?.close();
    await start(port);
    await expect.poll(() => reads.length, { timeout: 15_000 }).toBe(2);
    expect(asked).toEqual([
      expect.stringMatching(/^\/ISAPI\/Traffic\/channels\/2\/vehicledetect\/plates .*<picTime>\d{8}T\d{6}<\/picTime>/),
    ]);
    expect(reads).toMatchObject(
      ['MISSED1', 'MISSED2'].map((raw_plate) => ({
        raw_plate,
        history: true,
        retransmission: true,
        movement: 'towards',
      })),
    );
    // The next outage: the camera tells the same again, and one more.
    missed.push(listed('MISSED3', Date.now()));
    await listener?.close();
    await start(port);
    await expect.poll(() => reads.length, { timeout: 15_000 }).toBe(3);
    expect(reads.map(({ raw_plate }) => raw_plate)).toEqual(['MISSED1', 'MISSED2', 'MISSED3']);
  });
});
