import { describe, expect, it } from 'vitest';
import { createAxisPush } from '../../../agent/lpr/axis/axis-push.js';
import { FakeClock } from '../../world/fake-clock.js';
import { cameraFixture } from './camera-fixture.js';
import { camera, plateWorld } from './plate-world.js';

describe('a read of an Axis camera that comes late', () => {
  it('is of the past after a minute, although it looks as if its clock were behind', async () => {
    const captured = 1_768_478_400_250;
    const clock = new FakeClock();
    const body = Buffer.from(
      cameraFixture('axis', 'update.json').replace(/("capture_timestamp":\s*)"\d+"/, `$1"${captured}"`),
    );
    const push = createAxisPush(clock);
    const readAt = async (now: number) => {
      await clock.advance(now - clock.now());
      const parsed = push.parse({
        contentType: 'application/json',
        body,
        camera: { timezone: 'UTC', device_id: 'cam' },
      });
      if (parsed.kind !== 'read') throw new Error(parsed.kind);
      return [parsed.read.history ?? false, parsed.read.retransmission];
    };
    expect(await readAt(captured + 60_000)).toEqual([false, false]);
    expect(await readAt(captured + 60_001)).toEqual([true, true]);
  });

  it('is told of its camera with its figure, and opens nothing', async () => {
    const plates = { ZG4821AB: { zone_ids: [], product_ids: [21] } };
    const world = plateWorld({ cameras: [camera('cam', { driver: 'axis', direction_source: 'position' })], plates });
    const push = createAxisPush(world.clock);
    const pushAt = async (lateMs: number, carID: number) => {
      const text = cameraFixture('axis', 'update.json')
        .replace(/("capture_timestamp":\s*)"\d+"/, `$1"${world.clock.now() - lateMs}"`)
        .replace(/("carID":\s*)"[^"]*"/, `$1"${carID}"`);
      const pushed = {
        contentType: 'application/json',
        body: Buffer.from(text),
        camera: { timezone: 'UTC', device_id: 'cam' },
      };
      const parsed = push.parse(pushed);
      if (parsed.kind !== 'read') throw new Error(parsed.kind);
      await world.reads.handle('cam', parsed.read);
      return world.states.lateReads('cam');
    };
    expect(await pushAt(100_000, 1)).toMatchObject({ behind_ms: 100_000, is_steady: false });
    await world.clock.advance(31_000);
    expect(await pushAt(101_000, 2)).toMatchObject({ behind_ms: 100_000, is_steady: true });
    expect(world.states.list()).toMatchObject([{ clock_behind_ms: 101_000, is_drifting: true }]);
    expect(world.commander.commands).toEqual([]);
    await world.clock.advance(31_000);
    expect(await pushAt(500, 3)).toBeNull();
    expect(world.states.list()).toMatchObject([{ clock_behind_ms: 500, is_drifting: false }]);
  });
});
