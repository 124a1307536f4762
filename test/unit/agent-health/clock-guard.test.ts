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

function start(options: { startMs?: number; confirmedMs?: number; hasTimeServer?: boolean } = {}) {
  const clock = new FakeClock(options.startMs ?? NOON);
  const saved: number[] = [];
  const confirmed: number[] = [];
  const timeServer = { isFollowed: options.hasTimeServer ?? false };
  const errors: unknown[] = [];
  const failures: Error[] = [];
  const guard = createClockGuard({
    clock,
    confirmedMs: options.confirmedMs ?? 0,
    async saveConfirmed(wallMs) {
      confirmed.push(wallMs);
    },
    followsTimeServer: () => timeServer.isFollowed,
    async saveRunning(wallMs) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      saved.push(wallMs);
    },
    onError: (error) => errors.push(error),
  });
  guards.push(guard);
  /** The cloud's clock is ahead of the gateway's by so much. */
  const cloudAheadBy = (aheadMs: number) => guard.setCloudOffset(clock.now() + aheadMs - clock.monotonic());
  return { clock, guard, saved, confirmed, timeServer, errors, failures, cloudAheadBy };
}

const shown = (guard: ClockGuard) => [guard.isKnown(), guard.knownTime()];

describe('the clock guard', () => {
  it('believes a clock that is not behind the latest time that was confirmed', async () => {
    const { clock, guard } = start({ confirmedMs: NOON - MIN_MS });
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
    const { guard, confirmed, cloudAheadBy } = start({ confirmedMs: NOON + 10 * YEAR_MS });
    expect(shown(guard)).toEqual([false, null]);
    cloudAheadBy(0);
    expect(shown(guard)).toEqual([true, NOON]);
    // A later start without the cloud believes a right clock.
    expect(confirmed).toEqual([NOON]);
    expect(shown(start({ confirmedMs: NOON, startMs: NOON + MIN_MS }).guard)).toEqual([true, NOON + MIN_MS]);
  });

  it('keeps the time it knows now and then, in whole milliseconds, and confirmed is only the cloud’s', async () => {
    const { clock, guard, saved, confirmed } = start();
    await clock.advance(10 * MIN_MS);
    expect([saved, confirmed]).toEqual([[NOON + 10 * MIN_MS], []]);
    guard.setCloudOffset(NOON + 0.75);
    expect(confirmed).toEqual([NOON + 10 * MIN_MS]);
    await clock.advance(10 * MIN_MS);
    expect(saved.slice(1)).toEqual([NOON + 20 * MIN_MS]);
    expect(confirmed.slice(1)).toEqual([NOON + 20 * MIN_MS]);
    // Each connection measures it anew: what hardly differs waits for the next round.
    guard.setCloudOffset(NOON + 1_000);
    expect(confirmed).toHaveLength(2);
  });

  it.each([false, true])(
    'believes a right clock again after one that was ten years ahead for an hour, set by a time server: %s',
    async (hasTimeServer) => {
      const { clock, guard, saved, confirmed } = start({ hasTimeServer });
      await clock.advance(10 * MIN_MS);
      clock.jumpWall(10 * YEAR_MS);
      await clock.advance(60 * MIN_MS);
      expect(saved.at(-1)).toBeGreaterThan(NOON + 9 * YEAR_MS);
      clock.jumpWall(-10 * YEAR_MS);
      expect(shown(guard)).toEqual([true, NOON + 70 * MIN_MS]);
      expect(confirmed).toEqual([]);
    },
  );

  it('takes for confirmed what a time server has set and what then ran on evenly for a day, and lowers nothing by it', async () => {
    const DAY = 24 * 60 * MIN_MS;
    const { clock, guard, confirmed, timeServer } = start({ hasTimeServer: true });
    await clock.advance(DAY);
    expect(confirmed).toEqual([]);
    await clock.advance(10 * MIN_MS);
    expect(confirmed).toEqual([NOON + DAY + 10 * MIN_MS]);
    clock.jumpWall(-60 * MIN_MS);
    expect(shown(guard)).toEqual([false, null]);
    await clock.advance(40 * MIN_MS);
    expect(confirmed).toHaveLength(1);
    timeServer.isFollowed = false;
    await clock.advance(3 * DAY);
    expect(confirmed).toHaveLength(1);
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
