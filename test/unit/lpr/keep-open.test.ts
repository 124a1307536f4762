import { describe, expect, it } from 'vitest';
import { keepOpen } from '../../../agent/lpr/network/keep-open.js';
import { sleep } from '../../../shared/clock.js';
import { FakeClock } from '../../world/fake-clock.js';

/**
 * How many times a way to a camera was tried within an hour.
 * @param way.opensAfterMs null: it is never open; `endsAfterMs` counts from the beginning of the try
 */
async function triesInAnHour(way: { opensAfterMs: number | null; endsAfterMs: number; fails: boolean }) {
  const clock = new FakeClock();
  let tries = 0;
  const source = keepOpen({
    clock,
    random: () => 0.5,
    listener: { onFault() {} },
    async attempt(signal, onUp) {
      tries += 1;
      const { opensAfterMs, endsAfterMs, fails } = way;
      if (opensAfterMs !== null) {
        await sleep(clock, opensAfterMs, signal);
        onUp();
      }
      await sleep(clock, endsAfterMs - (opensAfterMs ?? 0), signal);
      if (fails) throw new Error('it is gone');
    },
  });
  await clock.advance(3_600_000);
  await source.close();
  return tries;
}

describe('a way to a camera that is kept open', () => {
  it.each([
    ['never opens, and fails at once', { opensAfterMs: null, endsAfterMs: 0, fails: true }],
    [
      'opens, and is closed at once, as where two share a place for one',
      { opensAfterMs: 0, endsAfterMs: 0, fails: false },
    ],
    ['opens, and fails after less than its time', { opensAfterMs: 0, endsAfterMs: 29_000, fails: true }],
    [
      'is silent for longer than a good one is open, and fails',
      { opensAfterMs: null, endsAfterMs: 45_000, fails: true },
    ],
    ['takes long to open, and is closed at once', { opensAfterMs: 45_000, endsAfterMs: 45_000, fails: false }],
  ])('is tried after ever longer pauses when it %s', async (_what, way) => {
    // Six growing pauses, and then half a minute between one end and the next try.
    expect(await triesInAnHour(way)).toBeLessThanOrEqual(6 + Math.ceil(3_600_000 / (30_000 + way.endsAfterMs)));
  });

  it('is opened again at once when it is good for some time', async () => {
    expect(await triesInAnHour({ opensAfterMs: 100, endsAfterMs: 60_000, fails: false })).toBe(60);
  });
});
