import { afterEach, describe, expect, it } from 'vitest';
import { createMovableClock, type Layer, type MovableClock } from '../../../scripts/sim/double/movable-clock.js';
import { HOUR_MS } from '../../../shared/durations.js';

describe('the movable clock', () => {
  const clocks: MovableClock[] = [];
  const start = (startMs?: number) => {
    const clock = createMovableClock(startMs);
    clocks.push(clock);
    return clock;
  };
  const moved: Layer[] = [];
  const beforeLayer = async (layer: Layer) => void moved.push(layer);

  afterEach(() => {
    for (const clock of clocks.splice(0)) clock.stop();
    moved.splice(0);
  });

  it('moves both its times, for all its layers', async () => {
    const clock = start(Date.UTC(2026, 11, 24));
    const ground = clock.layer('ground');
    const before = { wall: ground.now(), mono: ground.monotonic() };
    expect(before.wall - Date.UTC(2026, 11, 24)).toBeLessThan(HOUR_MS);
    await clock.move(HOUR_MS, { beforeLayer });
    for (const layer of ['ground', 'gateway', 'cloud'] as const) {
      const each = clock.layer(layer);
      expect(each.now() - before.wall).toBeGreaterThanOrEqual(HOUR_MS);
      expect(each.monotonic() - before.mono).toBeGreaterThanOrEqual(HOUR_MS);
      expect(each.now() - before.wall).toBeLessThan(2 * HOUR_MS);
    }
  });

  it('fires what became due in its order at the new time, and leaves the rest', async () => {
    const clock = start();
    const ground = clock.layer('ground');
    const endMs = ground.monotonic() + HOUR_MS;
    const fired: [string, boolean][] = [];
    const note = (name: string) => () => fired.push([name, ground.monotonic() >= endMs]);
    ground.setTimer(50_000, note('second'));
    ground.setTimer(10_000, note('first'));
    ground.setTimer(3 * HOUR_MS, note('much later'));
    await clock.move(HOUR_MS, { beforeLayer });
    expect(fired).toEqual([
      ['first', true],
      ['second', true],
    ]);
    await clock.move(3 * HOUR_MS, { beforeLayer });
    expect(fired.map(([name]) => name)).toEqual(['first', 'second', 'much later']);
  });

  it('wakes those who listen after those who speak, and waits before a layer that wakes late', async () => {
    const clock = start();
    const fired: string[] = [];
    clock.layer('cloud').setTimer(10_000, () => fired.push(`cloud after ${moved.join()}`));
    clock.layer('gateway').setTimer(9_000, () => fired.push(`gateway after ${moved.join()}`));
    clock.layer('ground').setTimer(10_500, () => fired.push(`ground after ${moved.join()}`));
    await clock.move(HOUR_MS, { beforeLayer });
    expect(fired).toEqual(['ground after ', 'gateway after gateway', 'cloud after gateway,cloud']);
  });

  it('lets the effects of one timer come before the next one', async () => {
    const clock = start();
    const ground = clock.layer('ground');
    const victim = ground.setTimer(20_000, () => expect.unreachable('it was cancelled in time'));
    ground.setTimer(10_000, () => setImmediate(() => victim.cancel()));
    await clock.move(HOUR_MS, { beforeLayer });
  });

  it('serves moves one after the other', async () => {
    const clock = start();
    const before = clock.now();
    await Promise.all([1, 2, 3].map(() => clock.move(HOUR_MS, { beforeLayer })));
    expect(clock.now() - before).toBeGreaterThanOrEqual(3 * HOUR_MS);
  });

  it('does not fire a timer of two months before its time, which Node.js would fire at once', async () => {
    const clock = start();
    let isFired = false;
    clock.layer('ground').setTimer(60 * 24 * HOUR_MS, () => (isFired = true));
    await clock.move(59 * 24 * HOUR_MS, { beforeLayer });
    expect(isFired).toBe(false);
    await clock.move(24 * HOUR_MS, { beforeLayer });
    expect(isFired).toBe(true);
  });
});
