/** Cameras that post to a path of their own: known by their address and by what they call themselves, and by nothing less. */
import { describe, expect, it } from 'vitest';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import { systemClock } from '../../../shared/system-clock.js';
import { cameraFixture } from './camera-fixture.js';
import { camera } from './plate-world.js';
import { pushWorld } from './push-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

const SERIAL = '8J0AB1234567';
const TOLLGATE = cameraFixture('dahua', 'tollgate.json');

function world(...others: ReturnType<typeof camera>[]) {
  const dahua = camera(SERIAL, { driver: 'dahua', address: 'http://192.0.2.41', push_without_key: true });
  const from = { address: '::ffff:192.0.2.41' };
  const made = pushWorld({ cameras: [dahua, ...others] }, { remoteAddress: () => from.address });
  const ask = async (method: string, path: string, body?: string) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await made.app.request(`/NotificationInfo/${path}`, { method, headers, ...(body ? { body } : {}) });
    return [answer.status, await answer.text()];
  };
  return { ...made, from, ask };
}

const ACCEPTED = [200, '{"Result": true}'];

describe('a Dahua camera that posts to its own path', () => {
  it('is read by its address and DeviceID, and says there that it lives', async () => {
    const { ask, store, states, quarantined } = world();
    expect(await ask('POST', 'KeepAlive', JSON.stringify({ Active: 'keepAlive', DeviceID: SERIAL }))).toEqual(ACCEPTED);
    expect(await ask('GET', 'KeepAlive')).toEqual(ACCEPTED);
    expect(states.list()).toMatchObject([{ device_id: SERIAL }]);
    expect(await ask('POST', 'TollgateInfo', TOLLGATE)).toEqual(ACCEPTED);
    expect(store.reads.map(({ camera_device_id }) => camera_device_id)).toEqual([SERIAL]);
    expect(quarantined).toEqual([]);
  });

  it('opens nothing by another name, and is not there at another address', async () => {
    const { ask, store, from, quarantined, commander } = world();
    expect(await ask('POST', 'TollgateInfo', TOLLGATE.replace(SERIAL, 'somebody'))).toEqual(ACCEPTED);
    expect([quarantined.length, store.reads.length, commander.commands.length]).toEqual([1, 0, 0]);
    from.address = '192.0.2.66';
    expect((await ask('POST', 'TollgateInfo', TOLLGATE))[0]).toBe(404);
  });

  it('is told from others at its address, and from those that are listened to', async () => {
    const at = { driver: 'dahua', address: 'http://192.0.2.41:8080' };
    const { ask, store, quarantined } = world(
      camera('second', { id: 12, ...at, push_key: '', push_without_key: true }),
      camera('heard', { id: 13, ...at, push_key: '' }),
      camera('keyed', { id: 14, ...at }),
    );
    await ask('POST', 'TollgateInfo', TOLLGATE.replace(SERIAL, 'second'));
    await ask('POST', 'TollgateInfo', TOLLGATE.replace(SERIAL, 'heard'));
    await ask('POST', 'TollgateInfo', TOLLGATE.replace(SERIAL, 'keyed'));
    expect(store.reads.map(({ camera_device_id }) => camera_device_id)).toEqual(['second']);
    expect(quarantined).toHaveLength(2);
  });

  it('pushes, or is listened to, and never both', () => {
    const driver = createCameraDrivers(cameraDriverDeps(systemClock)).get('dahua');
    const listener = { onRead: async () => {}, onAlive() {}, onMalformed() {}, onFault() {} };
    const settings = { driver: 'dahua', push_key: '', push_without_key: true };
    expect(driver?.source?.(camera(SERIAL, settings), listener)).toBeNull();
  });
});
