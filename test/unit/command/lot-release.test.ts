/** The release of a lot from the gateway itself. */
import { describe, expect, it } from 'vitest';
import { createLotRelease } from '../../../agent/command/lot-release.js';
import type { CommandOutcome } from '../../../agent/product/product-commander.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { warningsDuring } from '../../world/warnings-during.js';
import { JAMMED, SUCCEEDED, TestCommander } from '../lpr/plate-world.js';
import { BARRIER, GATE, productItem } from '../product/product-item.js';

const ABSENT: CommandOutcome = { outcome: 'failed', type: 4, authenticated: false };

const ASKING = { by: 'program', address: '127.0.0.1' } as const;

function releaseWorld(items = [productItem(BARRIER), productItem(GATE)]) {
  const clock = new FakeClock();
  const commander = new TestCommander([]);
  let made = 0;
  const notified: unknown[] = [];
  const release = createLotRelease({
    commander,
    products: () => items,
    clock,
    newEventId: () => (made += 1).toString(16).padStart(8, '0') as EventId,
    logger: silentLogger,
    actions: { note: async (action, asking) => void notified.push([action, asking]) },
  });
  const given = () => commander.commands.map(({ device_id, command }) => [device_id, command.name]);
  return { clock, commander, release, given, notified };
}

describe('the release of a lot', () => {
  it('opens each product to stay open, and is taken back at each', async () => {
    const { release, given, notified } = releaseWorld();
    expect(await release.release(ASKING)).toEqual([
      { device_id: BARRIER, name: expect.any(String), is_done: true, problem: null },
      { device_id: GATE, name: expect.any(String), is_done: true, problem: null },
    ]);
    await release.clear(ASKING);
    expect(notified).toEqual([
      ['release', ASKING],
      ['release_clear', ASKING],
    ]);
    expect(given()).toEqual([
      [BARRIER, 'stay_open'],
      [GATE, 'stay_open'],
      [BARRIER, 'clear_stay_open'],
      [GATE, 'clear_stay_open'],
    ]);
  });

  it('shows for each product what came of it', async () => {
    const { commander, release } = releaseWorld();
    commander.answer = null;
    const done = release.release(ASKING);
    commander.reply(JAMMED);
    commander.reply(SUCCEEDED);
    expect(await done).toMatchObject([
      { device_id: BARRIER, is_done: false, problem: 'Device jammed' },
      { device_id: GATE, is_done: true, problem: null },
    ]);
  });

  it('tries a product again whose link fails, as one command, and gives up after 30 s', async () => {
    const { clock, commander, release } = releaseWorld();
    commander.answer = ABSENT;
    const done = release.release(ASKING);
    await clock.advance(10_000);
    commander.answer = SUCCEEDED;
    await clock.advance(500);
    expect((await done).map(({ is_done }) => is_done)).toEqual([true, true]);
    const ofBarrier = commander.commands.filter(({ device_id }) => device_id === BARRIER);
    expect(ofBarrier.length).toBeGreaterThan(10);
    expect(new Set(ofBarrier.map(({ event_id }) => event_id)).size).toBe(1);

    commander.answer = ABSENT;
    const never = release.release(ASKING);
    await clock.advance(30_000);
    expect((await never).map(({ problem }) => problem)).toEqual(['Device not found', 'Device not found']);
  });

  it('opens nothing after its end was ordered, nor after the gateway stops', async () => {
    const { clock, commander, release, given } = releaseWorld();
    commander.answer = ABSENT;
    const released = release.release(ASKING);
    await clock.advance(100);
    commander.answer = SUCCEEDED;
    await release.clear(ASKING);
    await clock.advance(30_000);
    expect((await released).map(({ is_done }) => is_done)).toEqual([false, false]);
    expect(given().slice(2)).toEqual([
      [BARRIER, 'clear_stay_open'],
      [GATE, 'clear_stay_open'],
    ]);

    commander.answer = ABSENT;
    const again = release.release(ASKING);
    await settle();
    await release.close();
    expect((await again).map(({ is_done }) => is_done)).toEqual([false, false]);
    expect((await release.release(ASKING)).map(({ is_done }) => is_done)).toEqual([false, false]);
  });

  it('waits for twenty products at once, and nothing looks like a leak', async () => {
    const items = Array.from({ length: 20 }, (_, index) =>
      productItem(`a4c1380001${(index + 16).toString(16)}` as ProductDeviceId),
    );
    const { commander, release } = releaseWorld(items);
    commander.answer = null;
    const warnings = await warningsDuring(async () => {
      const released = release.release(ASKING);
      await settle();
      await release.close();
      expect((await released).map(({ is_done }) => is_done)).toEqual(items.map(() => false));
    });
    expect(warnings).toEqual([]);
  });
});
