import { describe, expect, it } from 'vitest';
import { createFailureLimiter } from '../../../cloud/limit/failure-limiter.js';
import { RetryLaterError } from '../../../cloud/limit/retry-later-error.js';
import { QueueFullError } from '../../../shared/fair-queue.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { FakeClock } from '../../sim/world/fake-clock.js';

class Wrong extends Error {}

function limiterOf(failuresPerMin: number) {
  const clock = new FakeClock();
  const limiter = createFailureLimiter({ failuresPerMin, clock, countsAsFailure: (error) => error instanceof Wrong });
  /** 'ok', 'wrong', or the seconds to wait. */
  const attempt = (key: string, right = false) =>
    limiter
      .attempt(key, async () => {
        if (!right) throw new Wrong();
        return 'ok';
      })
      .catch((error: unknown) => {
        if (error instanceof Wrong) return 'wrong';
        if (error instanceof RetryLaterError) return error.retryAfterS;
        throw error;
      });
  return { clock, limiter, attempt };
}

describe('failure limiter', () => {
  it('lets so many failures pass in any minute, each key for itself', async () => {
    const { clock, attempt } = limiterOf(2);
    expect(await attempt('a')).toBe('wrong');
    await clock.advance(20_000);
    expect(await attempt('a')).toBe('wrong');
    expect(await attempt('a', true)).toBe(40);
    expect(await attempt('b', true)).toBe('ok');
    await clock.advance(39_999);
    expect(await attempt('a', true)).toBe(1);
    await clock.advance(1);
    expect(await attempt('a')).toBe('wrong');
    expect(await attempt('a')).toBe(20);
  });

  it('does not count successes or other errors', async () => {
    const { limiter, attempt } = limiterOf(1);
    for (let round = 0; round < 5; round++) expect(await attempt('a', true)).toBe('ok');
    const broken = () => limiter.attempt('a', () => Promise.reject(new Error('the database is gone')));
    await expect(broken()).rejects.toThrow('the database is gone');
    await expect(broken()).rejects.toThrow('the database is gone');
    expect(await attempt('a')).toBe('wrong');
    expect(await attempt('a')).toBe(60);
  });

  it('gives no more to attempts made at once', async () => {
    const { attempt } = limiterOf(3);
    const results = await Promise.all(Array.from({ length: 20 }, () => attempt('a')));
    expect(results.filter((result) => result === 'wrong')).toHaveLength(3);
    expect(results.filter((result) => result === 60)).toHaveLength(17);
  });

  it('does not hold more waiting attempts than it may', async () => {
    const { limiter } = limiterOf(3);
    const { promise, resolve } = deferred<string>();
    const attempts = Array.from({ length: 60 }, () =>
      limiter.attempt('a', () => promise).catch((error: unknown) => error),
    );
    resolve('done');
    const results = await Promise.all(attempts);
    expect(results.filter((result) => result instanceof QueueFullError)).toHaveLength(9);
    expect(results.filter((result) => result === 'done')).toHaveLength(51);
  });

  it('has no limit at 0', async () => {
    const { attempt } = limiterOf(0);
    for (let round = 0; round < 20; round++) expect(await attempt('a')).toBe('wrong');
  });

  it('forgets keys, so that made-up ones do not fill the memory, but not the ones that failed just now', async () => {
    const { clock, attempt } = limiterOf(1);
    await attempt('old');
    await clock.advance(30_000);
    await attempt('young');
    for (let made = 0; made < 9_999; made++) await attempt(`made up ${made}`);
    expect(await attempt('young', true)).toBe(60);
    await clock.advance(60_000);
    expect(await attempt('young', true)).toBe('ok');
  });
});
