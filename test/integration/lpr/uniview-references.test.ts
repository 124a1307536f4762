/** Several Uniview cameras behind one address are told apart by the `Reference` of their subscriptions. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CameraSource } from '../../../agent/lpr/camera.js';
import { createUniviewDriver } from '../../../agent/lpr/uniview/uniview-driver.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { CameraEvent } from '../../../scripts/sim/cameras/camera-vendor.js';
import { entryCamera } from '../../world/entry-camera.js';
import { univiewCamera } from '../../../scripts/sim/cameras/uniview-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { cameraFixture } from '../../unit/lpr/camera-fixture.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { pushWorld } from '../../unit/lpr/push-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const ACCOUNT = { username: 'admin', password: 'a secret' };
const listeners: HttpListener[] = [];
const sources: CameraSource[] = [];
afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

describe('Uniview cameras behind one address', () => {
  it('are told apart by Reference; a push with another one, or none, is refused like one with a wrong key', async () => {
    const names = ['cam-a', 'cam-b'];
    const hears = new Map<string, (event: CameraEvent) => void>();
    const items = await Promise.all(
      names.map(async (device_id, index) => {
        const device = univiewCamera.createDevice(entryCamera({ device_id, ...ACCOUNT }), {
          subscribe(hear) {
            hears.set(device_id, hear);
            return () => void hears.delete(device_id);
          },
        });
        const listener = await listenHttp(device.fetch, { host: '127.0.0.1', port: 0 });
        listeners.push(listener);
        const address = `http://127.0.0.1:${listener.port}`;
        return camera(device_id, { id: 20 + index, driver: 'uniview', push_key: '', address, ...ACCOUNT });
      }),
    );
    const gateway = { port: 0 };
    const from = { address: '127.0.0.1' };
    const driver = createUniviewDriver(cameraDriverDeps(systemClock, { httpPort: () => gateway.port }));
    const world = pushWorld(
      { cameras: items },
      { drivers: new Map([['uniview', driver]]), remoteAddress: () => from.address },
    );
    const listener = await listenHttp(world.app.fetch, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    gateway.port = listener.port;
    for (const item of items) {
      const source = driver.source?.(item, { onRead: async () => {}, onAlive() {}, onMalformed() {}, onFault() {} });
      if (source) sources.push(source);
    }
    await expect.poll(() => driver.fixedPath?.camerasAt('127.0.0.1', []).length).toBe(2);
    const pictures = await createVehiclePictures()('ZG4821AB', 'blue');
    const seen = () =>
      world.store.reads.map(({ camera_device_id, record }) => [camera_device_id, record.reading.plate]);
    hears.get('cam-b')?.({ uuid: 'b0000001', wallMs: Date.now(), read: { plate: 'BB1111' }, pictures });
    await expect.poll(seen).toEqual([['cam-b', 'BB1111']]);
    hears.get('cam-a')?.({ uuid: 'a0000001', wallMs: Date.now(), read: { plate: 'AA1111' }, pictures });
    await expect.poll(() => seen().length).toBe(2);
    expect(seen()[1]).toEqual(['cam-a', 'AA1111']);
    const foreign = JSON.stringify({ Reference: 'cam-x.lan:80/Subscription/Subscribers/1', Seq: 1 });
    const post = (body: string) =>
      fetch(`http://127.0.0.1:${gateway.port}/LAPI/V1.0/System/Event/Notification/Structure`, { method: 'POST', body });
    const answered = await post(foreign);
    expect([answered.status, world.quarantined.length]).toEqual([404, 0]);
    // One alone is not believed more than several are.
    await sources.pop()?.close();
    await expect.poll(() => driver.fixedPath?.camerasAt('127.0.0.1', []).length).toBe(1);
    const structure = JSON.parse(cameraFixture('uniview', 'structure.json')) as Record<string, unknown>;
    const nameless = JSON.stringify({ ...structure, Reference: undefined });
    const statuses = await Promise.all([foreign, nameless, ''].map(async (body) => (await post(body)).status));
    expect([statuses, seen().length]).toEqual([[404, 404, 404], 2]);
    // Who does not say his name first is read no further.
    const late = `{"StructureInfo":{"x":"${'x'.repeat(7 * 1024 * 1024)}"},"Reference":"somebody"}`;
    expect([(await post(late)).status, (await post('['.repeat(7 * 1024 * 1024))).status]).toEqual([404, 404]);
    hears.get('cam-a')?.({ uuid: 'a0000002', wallMs: Date.now(), read: { plate: 'AA2222' }, pictures });
    await expect.poll(() => seen().length).toBe(3);
    // From another address, what a camera would say is nothing.
    from.address = '192.0.2.66';
    expect((await post(cameraFixture('uniview', 'structure.json'))).status).toBe(404);
    expect([seen().length, world.quarantined.length]).toEqual([3, 0]);
  });
});
