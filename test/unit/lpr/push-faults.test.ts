/** Pushes of which nothing is read: each is told of the camera that it names, until a better one comes. */
import { describe, expect, it } from 'vitest';
import { createMisdirectedPushes } from '../../../agent/lpr/push/misdirected-pushes.js';
import { HOUR_MS } from '../../../shared/durations.js';
import { FakeClock } from '../../world/fake-clock.js';
import { cameraFixture } from './camera-fixture.js';
import { PATH, pushWorld } from './push-world.js';

const FROM = '192.0.2.7';
const worldFrom = () => {
  const misdirected = createMisdirectedPushes(new FakeClock());
  return { ...pushWorld({}, { remoteAddress: () => FROM, misdirected }), misdirected };
};

describe('a push', () => {
  it('with an old key is a problem of the camera that it names, and ends with a good one', async () => {
    const world = worldFrom();
    expect((await world.post('x', '/lpr/hikvision/cam-in/old-key')).status).toBe(404);
    expect(world.states.pushFault('cam-in')).toEqual({ kind: 'wrong_key', from: FROM });
    expect(world.states.refusal('cam-in')).toContain('another key than its own');
    await world.post(cameraFixture('hikvision', 'heartbeat.xml'));
    expect([world.states.pushFault('cam-in'), world.states.refusal('cam-in')]).toEqual([null, null]);
  });

  it('to the address of another driver is one, too', async () => {
    const world = worldFrom();
    await world.post('x', '/lpr/dahua/cam-in/right-key');
    expect(world.states.pushFault('cam-in')).toEqual({ kind: 'wrong_driver', posted: 'dahua', from: FROM });
  });

  it('not understood is one until a read is, whatever signs of life come between', async () => {
    const world = worldFrom();
    await world.post('<no xml');
    expect(world.quarantined).toHaveLength(1);
    expect(world.states.pushFault('cam-in')).toMatchObject({ kind: 'not_understood' });
    await world.post(cameraFixture('hikvision', 'heartbeat.xml'));
    expect(world.states.pushFault('cam-in')).toMatchObject({ kind: 'not_understood' });
    await world.post(cameraFixture('hikvision', 'anpr-forward.xml'));
    expect(world.states.pushFault('cam-in')).toBeNull();
  });

  it('naming no camera of this gateway is told of the gateway, until it has such a camera', async () => {
    const world = worldFrom();
    await world.post('x', PATH.replace('cam-in', 'cam-elsewhere'));
    expect(world.misdirected.list(() => false)).toEqual([{ camera: 'cam-elsewhere', from: FROM }]);
    expect(world.misdirected.list((deviceId) => deviceId === 'cam-elsewhere')).toEqual([]);
    expect(world.states.list()).toEqual([]);
  });
});

it('few misdirected pushes are kept, the newest, for an hour', async () => {
  const clock = new FakeClock();
  const misdirected = createMisdirectedPushes(clock);
  for (let at = 0; at < 100; at++) misdirected.note({ camera: `cam-${at}`, from: FROM });
  const names = () => misdirected.list(() => false).map(({ camera }) => camera);
  expect(names()).toEqual(Array.from({ length: 8 }, (_, at) => `cam-${92 + at}`));
  misdirected.note({ camera: 'cam-92', from: FROM });
  expect(names().at(-1)).toBe('cam-92');
  await clock.advance(HOUR_MS + 1);
  expect(names()).toEqual([]);
});
