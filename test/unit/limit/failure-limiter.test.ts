import { describe, expect, it } from 'vitest';
import { createFailureLimiter } from '../../../cloud/kernel/limit/failure-limiter.js';
import { RetryLaterError } from '../../../cloud/kernel/limit/retry-later-error.js';
import { QueueFullError } from '../../../shared/flow/semaphore.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { FakeClock } from '../../world/fake-clock.js';

class Wrong extends Error {}

function limiterOf(failuresPerMin: number) {
  const clock = new FakeClock();
  const limiter = createFailureLimiter({ failuresPerMin, clock, countsAsFailure: (error) => error instanceof Wrong });
  /** 'ok', 'wrong', or the seconds to wait. */
  const attempt = (owner: string, right = false, name?: string) =>
    limiter
      .attempt({ owner, ...(name === undefined ? {} : { name }) }, async () => {
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
    const broken = () => limiter.attempt({ owner: 'a' }, () => Promise.reject(new Error('the database is gone')));
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

  it('does not hold more waiting attempts of a share than it may, at whatever they are', async () => {
    const { limiter } = limiterOf(3);
    const { promise, resolve } = deferred<string>();
    const attempts = Array.from({ length: 120 }, (_, made) =>
      limiter.attempt({ owner: 'a', name: String(made % 7) }, () => promise).catch((error: unknown) => error),
    );
    resolve('done');
    const results = await Promise.all(attempts);
    expect(results.filter((result) => result instanceof QueueFullError)).toHaveLength(20);
    expect(results.filter((result) => result === 'done')).toHaveLength(100);
  });

  it('has no limit at 0', async () => {
    const { attempt } = limiterOf(0);
    for (let round = 0; round < 20; round++) expect(await attempt('a')).toBe('wrong');
  });

  it('keeps the count of who makes up names, and refuses the rest of them', async () => {
    const { clock, attempt } = limiterOf(1);
    expect(await attempt('attacker', false, 'victim')).toBe('wrong');
    const made = Array.from({ length: 12_000 }, (_, index) => `made up ${index}`);
    const answers = [];
    for (const name of made) answers.push(await attempt('attacker', false, name));
    expect(answers.filter((answer) => answer === 'wrong')).toHaveLength(99);
    expect(answers.filter((answer) => answer === 60)).toHaveLength(made.length - 99);
    expect(await attempt('attacker', false, 'victim')).toBe(60);
    expect(await attempt('honest', true, 'victim')).toBe('ok');
    await clock.advance(60_000);
    expect(await attempt('attacker', false, 'victim')).toBe('wrong');
  });

  it('has a place beside made-up names for one that has proved itself, as strictly limited', async () => {
    const { attempt, limiter } = limiterOf(2);
    for (let name = 0; name < 100; name++) await attempt('office', false, `made up ${name}`);
    let asked = 0;
    const prove = (name: string, right: boolean, isProven: boolean) =>
      limiter
        .attempt({ owner: 'office', name, isProven: async () => ++asked > 0 && isProven }, async () => {
          if (!right) throw new Wrong();
          return 'ok';
        })
        .catch((error: unknown) => (error instanceof Wrong ? 'wrong' : 'later'));
    expect(await prove('guard', true, true)).toBe('ok');
    expect(await prove('stranger', true, false)).toBe('later');
    expect([await prove('guard', false, true), await prove('guard', false, true)]).toEqual(['wrong', 'wrong']);
    expect(await prove('guard', true, true)).toBe('later');
    asked = 0;
    expect(await prove('made up 1', false, true)).toBe('wrong');
    expect(asked).toBe(0);
  });

  it('forgets of many shares that fill the memory those that hold most', async () => {
    const { attempt } = limiterOf(1);
    expect(await attempt('honest', false, 'own mail')).toBe('wrong');
    for (let owner = 0; owner < 101; owner++) {
      for (let name = 0; name < 100; name++) await attempt(`attacker ${owner}`, false, `made up ${name}`);
    }
    expect(await attempt('honest', true, 'own mail')).toBe(60);
  });
});
