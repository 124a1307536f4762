import { describe, expect, it } from 'vitest';
import { createRequestLimiter } from '../../../cloud/kernel/limit/request-limiter.js';
import { RetryLaterError } from '../../../cloud/kernel/limit/retry-later-error.js';
import { FakeClock } from '../../world/fake-clock.js';

function limiterOf(requestsPerMin: number) {
  const clock = new FakeClock();
  const limiter = createRequestLimiter({ requestsPerMin, clock });
  /** The seconds to wait; null: none. */
  const checked = (key: string): number | null => {
    try {
      limiter.check(key);
      return null;
    } catch (error) {
      if (error instanceof RetryLaterError) return error.retryAfterS;
      throw error;
    }
  };
  return { clock, limiter, checked };
}

describe('request limiter', () => {
  it('tells who has used the minute, without counting', async () => {
    const { clock, limiter, checked } = limiterOf(2);
    for (let round = 0; round < 5; round++) expect(checked('a')).toBeNull();
    limiter.quotaAfter('a');
    await clock.advance(20_000);
    expect(checked('a')).toBeNull();
    limiter.quotaAfter('a');
    expect([checked('a'), checked('b')]).toEqual([40, null]);
    await clock.advance(40_000);
    expect(checked('a')).toBeNull();
  });

  it('forgets of too many keys those that asked least', async () => {
    const { limiter, checked } = limiterOf(2);
    for (let round = 0; round < 2; round++) limiter.quotaAfter('floods');
    for (let made = 0; made < 10_000; made++) limiter.quotaAfter(`made up ${made}`);
    limiter.quotaAfter('made up 0');
    expect([checked('floods'), checked('made up 0')]).toEqual([60, null]);
  });

  it('has no limit at 0', () => {
    const { limiter, checked } = limiterOf(0);
    for (let round = 0; round < 5; round++) limiter.quotaAfter('a');
    expect(checked('a')).toBeNull();
  });
});
