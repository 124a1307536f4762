import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../shared/clock.js';
import { systemClock, wakefulClock } from '../../shared/system-clock.js';
import { createMovableClock } from '../../scripts/sim/double/movable-clock.js';
import { FakeClock } from '../world/fake-clock.js';

interface ClockBench {
  clock: Clock;
  /** Lets at least so much time pass. */
  pass(ms: number): Promise<void>;
}

/** What every clock promises. */
function clockConformance(name: string, createBench: () => ClockBench): void {
  describe(name, () => {
    it('has the wall time in milliseconds since 1970, and both its times go on', async () => {
      const { clock, pass } = createBench();
      const before = { wall: clock.now(), mono: clock.monotonic() };
      expect(before.wall).toBeGreaterThan(Date.UTC(2026, 0, 1));
      await pass(20);
      expect(clock.monotonic() - before.mono).toBeGreaterThanOrEqual(19);
      expect(clock.now() - before.wall).toBeGreaterThanOrEqual(18);
    });

    it('fires a timer once, never early, and not within the call that sets it', async () => {
      const { clock, pass } = createBench();
      const setAt = clock.monotonic();
      const firedAt: number[] = [];
      clock.setTimer(10, () => firedAt.push(clock.monotonic()));
      clock.setTimer(0, () => firedAt.push(clock.monotonic()));
      expect(firedAt).toEqual([]);
      await pass(20);
      await expect.poll(() => firedAt).toHaveLength(2);
      await pass(20);
      expect(firedAt).toHaveLength(2);
      // Node rounds a timer to the millisecond that has already begun.
      expect((firedAt[1] ?? 0) - setAt).toBeGreaterThanOrEqual(9);
    });

    it('fires timers in the order of their times, and in that of their setting at the same time', async () => {
      const { clock, pass } = createBench();
      const setThem = () => {
        const fired: string[] = [];
        const setAt = clock.monotonic();
        clock.setTimer(30, () => fired.push('late'));
        clock.setTimer(5, () => fired.push('first'));
        clock.setTimer(5, () => fired.push('second'));
        return { fired, tookMs: clock.monotonic() - setAt };
      };
      let { fired, tookMs } = setThem();
      // A busy machine may pause between two calls for longer than their times differ: then the later call is due first.
      while (tookMs > 20) ({ fired, tookMs } = setThem());
      await pass(40);
      await expect.poll(() => fired).toEqual(['first', 'second', 'late']);
    });

    it('fires no timer that was cancelled, before it is due or by the one before it; twice is once', async () => {
      const { clock, pass } = createBench();
      const fired: string[] = [];
      const early = clock.setTimer(5, () => fired.push('early'));
      early.cancel();
      early.cancel();
      // It is set before its victim, so it is due first however long a busy machine pauses between the two.
      clock.setTimer(8, () => {
        fired.push('killer');
        victim.cancel();
      });
      const victim = clock.setTimer(10, () => fired.push('victim'));
      await pass(40);
      await expect.poll(() => fired).toEqual(['killer']);
      victim.cancel();
    });

    it('lets a timer set another', async () => {
      const { clock, pass } = createBench();
      const fired: string[] = [];
      clock.setTimer(5, () => {
        fired.push('one');
        clock.setTimer(5, () => fired.push('two'));
      });
      await pass(40);
      await expect.poll(() => fired).toEqual(['one', 'two']);
    });
  });
}

clockConformance('system clock', () => ({ clock: systemClock, pass: (ms) => pause(ms) }));
clockConformance('wakeful clock', () => ({ clock: wakefulClock, pass: (ms) => pause(ms) }));
clockConformance('fake clock', () => {
  const clock = new FakeClock(Date.now());
  return { clock, pass: (ms) => clock.advance(ms) };
});
clockConformance('movable clock that flows', () => ({
  clock: createMovableClock().layer('ground'),
  pass: (ms) => pause(ms),
}));
clockConformance('movable clock that is moved', () => {
  const clock = createMovableClock();
  return { clock: clock.layer('cloud'), pass: (ms) => clock.move(ms, { beforeLayer: async () => {} }) };
});
