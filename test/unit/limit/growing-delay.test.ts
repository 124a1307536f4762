import { describe, expect, it } from 'vitest';
import { createGrowingDelay } from '../../../cloud/kernel/limit/growing-delay.js';
import { RetryLaterError } from '../../../cloud/kernel/limit/retry-later-error.js';
import { FakeClock } from '../../world/fake-clock.js';

class Wrong extends Error {}

function delayOf(freeFailures: number) {
  const clock = new FakeClock();
  const delay = createGrowingDelay({ freeFailures, clock, countsAsFailure: (error) => error instanceof Wrong });
  /** 'ok', 'wrong', or the seconds to wait. */
  const attempt = (key: string, right = false) =>
    delay
      .attempt(key, async () => {
        if (!right) throw new Wrong();
        return 'ok';
      })
      .catch((error: unknown) => (error instanceof RetryLaterError ? error.retryAfterS : 'wrong'));
  return { clock, delay, attempt };
}

describe('a growing delay', () => {
  it('lets a few failures pass, and then each attempt later after the one before', async () => {
    const { clock, attempt } = delayOf(3);
    for (let round = 0; round < 4; round++) expect(await attempt('a')).toBe('wrong');
    const waits = [];
    for (let round = 0; round < 8; round++) {
      const wait = Number(await attempt('a', true));
      waits.push(wait);
      await clock.advance(wait * 1_000);
      expect(await attempt('a')).toBe('wrong');
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(await attempt('b')).toBe('wrong');
  });

  it('counts attempts that have not ended, so that many at once gain nothing', async () => {
    const { attempt } = delayOf(3);
    const answers = await Promise.all(Array.from({ length: 50 }, () => attempt('a')));
    expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(4);
  });

  it('counts neither successes nor other errors', async () => {
    const { delay, attempt } = delayOf(1);
    for (let round = 0; round < 5; round++) expect(await attempt('a', true)).toBe('ok');
    for (let round = 0; round < 5; round++) {
      await expect(delay.attempt('a', () => Promise.reject(new TypeError()))).rejects.toThrow(TypeError);
    }
    expect(await attempt('a')).toBe('wrong');
  });

  it('forgets what nobody failed at for an hour', async () => {
    const { clock, attempt } = delayOf(1);
    for (let round = 0; round < 2; round++) await attempt('a');
    expect(await attempt('a', true)).toBe(1);
    await clock.advance(3_600_000);
    expect(await attempt('a')).toBe('wrong');
    expect(await attempt('a')).toBe('wrong');
  });

  it('goes on slowing down what is guessed at while made-up keys fill the memory', async () => {
    const { clock, attempt } = delayOf(2);
    for (let round = 0; round < 3; round++) await attempt('victim');
    await clock.advance(1_000);
    await attempt('victim');
    for (let made = 0; made < 25_000; made++) await attempt(`made up ${made}`);
    expect(await attempt('victim', true)).toBe(2);
  });

  it('is off at 0', async () => {
    const { attempt } = delayOf(0);
    for (let round = 0; round < 50; round++) expect(await attempt('a')).toBe('wrong');
  });
});
