import { afterEach, describe, expect, it } from 'vitest';
import { type ClockGuard, createClockGuard } from '../../../agent/health/clock-guard.js';
import { FakeClock } from '../../world/fake-clock.js';

const NOON = Date.UTC(2026, 0, 15, 12);
const BUILT = Date.UTC(2026, 0, 1);
const MIN_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

const guards: ClockGuard[] = [];
afterEach(() => {
  for (const guard of guards.splice(0)) guard.close();
});

function start(options: { startMs?: number; floorMs?: number } = {}) {
  const clock = new FakeClock(options.startMs ?? NOON);
  const saved: number[] = [];
  const errors: unknown[] = [];
  const failures: Error[] = [];
  const guard = createClockGuard({
    clock,
    floorMs: options.floorMs ?? 0,
    async saveFloor(wallMs) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      saved.push(wallMs);
    },
    onError: (error) => errors.push(error),
  });
  guards.push(guard);
  /** The cloud's clock is ahead of the gateway's by so much. */
  const cloudAheadBy = (aheadMs: number) => guard.setCloudOffset(clock.now() + aheadMs - clock.monotonic());
  return { clock, guard, saved, errors, failures, cloudAheadBy };
}

const shown = (guard: ClockGuard) => [guard.isKnown(), guard.knownTime()];

describe('the clock guard', () => {
  it('believes a clock that is not behind the latest time known', async () => {
    const { clock, guard } = start({ floorMs: NOON - MIN_MS });
    expect(shown(guard)).toEqual([true, NOON]);
    clock.jumpWall(-MIN_MS);
    expect(shown(guard)).toEqual([true, NOON - MIN_MS]);
    clock.jumpWall(-1);
    expect(shown(guard)).toEqual([false, null]);
    await clock.advance(1);
    expect(guard.isKnown()).toBe(true);
  });

  it('believes no clock behind the day this program was written', () => {
    expect(shown(start({ startMs: 0 }).guard)).toEqual([false, null]);
    expect(shown(start({ startMs: BUILT - 1 }).guard)).toEqual([false, null]);
    expect(shown(start({ startMs: BUILT }).guard)).toEqual([true, BUILT]);
  });

  it('takes the cloud’s time before its own, and keeps it when the connection is gone', async () => {
    const { clock, guard } = start({ startMs: 0 });
    await clock.advance(1_000);
    guard.setCloudOffset(NOON + 0.25);
    expect(shown(guard)).toEqual([false, NOON + 1_000]);
    guard.setCloudOffset(null);
    await clock.advance(1_000);
    expect(shown(guard)).toEqual([false, NOON + 2_000]);
    clock.jumpWall(NOON);
    expect(guard.isKnown()).toBe(true);
    guard.setCloudOffset(NOON + 30_000);
    expect(guard.knownTime()).toBe(NOON + 32_000);
  });

  it('measures its own clock by the cloud’s, ahead as behind', () => {
    const { guard, clock, cloudAheadBy } = start();
    for (const [aheadMs, isKnown] of [
      [0, true],
      [MIN_MS, true],
      [-MIN_MS, true],
      [MIN_MS + 1, false],
      [-MIN_MS - 1, false],
    ] as const) {
      cloudAheadBy(aheadMs);
      expect([aheadMs, guard.isKnown(), guard.knownTime()]).toEqual([aheadMs, isKnown, NOON + aheadMs]);
    }
    cloudAheadBy(0);
    clock.jumpWall(10 * YEAR_MS);
    expect(shown(guard)).toEqual([false, NOON]);
  });

  it('is not held up by a floor that a wrong clock has left, once the cloud tells the time', () => {
    const { guard, cloudAheadBy } = start({ floorMs: NOON + 10 * YEAR_MS });
    expect(shown(guard)).toEqual([false, null]);
    cloudAheadBy(0);
    expect(shown(guard)).toEqual([true, NOON]);
  });

  it('keeps the time it knows now and then, in whole milliseconds, and stands by it', async () => {
    const { clock, guard, saved } = start();
    await clock.advance(10 * MIN_MS);
    expect(saved).toEqual([NOON + 10 * MIN_MS]);
    clock.jumpWall(-60 * MIN_MS);
    expect(shown(guard)).toEqual([false, null]);
    await clock.advance(10 * MIN_MS);
    expect(saved).toHaveLength(1);
    guard.setCloudOffset(NOON + 0.75);
    await clock.advance(10 * MIN_MS);
    expect(saved.slice(1)).toEqual([NOON + 30 * MIN_MS]);
  });

  it('goes on when the time could not be kept, and ends with its close', async () => {
    const { clock, guard, saved, errors, failures } = start();
    failures.push(new Error('the disk is full'));
    await clock.advance(10 * MIN_MS);
    expect([errors, saved]).toEqual([[new Error('the disk is full')], []]);
    await clock.advance(10 * MIN_MS);
    expect(saved).toHaveLength(1);
    guard.close();
    expect(clock.pending).toBe(0);
  });
});
