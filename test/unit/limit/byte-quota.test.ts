import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type Allowance, createByteQuota } from '../../../cloud/kernel/limit/byte-quota.js';
import { sleep } from '../../../shared/clock.js';
import { runs } from '../../depth.js';
import { FakeClock } from '../../world/fake-clock.js';

function quotaOf(allowances: readonly Allowance[] = [{ burstBytes: 1_000, bytesPerS: 100 }]) {
  const clock = new FakeClock();
  const quota = createByteQuota({ allowances, clock });
  const passed: string[] = [];
  const take = (key: string, bytes: number, name = key) =>
    void sleep(clock, quota.take(key, bytes)).then(() => passed.push(name));
  return { clock, passed, take };
}

describe('a byte quota', () => {
  it('lets a burst pass at once, and then so much a second, each key for itself', async () => {
    const { clock, passed, take } = quotaOf();
    take('a', 1_000, 'burst');
    take('a', 200, 'later');
    take('b', 1_000, 'other');
    await clock.advance(0);
    expect(passed).toEqual(['burst', 'other']);
    await clock.advance(1_999);
    expect(passed).toEqual(['burst', 'other']);
    await clock.advance(1);
    expect(passed).toEqual(['burst', 'other', 'later']);
    await clock.advance(20_000);
    take('a', 1_000, 'burst again');
    await clock.advance(0);
    expect(passed.at(-1)).toBe('burst again');
  });

  it('holds to the narrowest of its allowances', async () => {
    const { clock, passed, take } = quotaOf([
      { burstBytes: 1_000, bytesPerS: 1_000 },
      { burstBytes: 1_500, bytesPerS: 1 },
    ]);
    take('a', 1_000, 'first');
    await clock.advance(1_000);
    take('a', 1_000, 'second');
    await clock.advance(498_000);
    expect(passed).toEqual(['first']);
    await clock.advance(2_000);
    expect(passed).toEqual(['first', 'second']);
  });

  it('holds what is large to an allowance of its own, behind which nothing small waits', async () => {
    const { clock, passed, take } = quotaOf([
      { burstBytes: 10_000, bytesPerS: 10_000 },
      { burstBytes: 1_000, bytesPerS: 100, fromBytes: 500 },
    ]);
    take('a', 499, 'small before');
    take('a', 1_000, 'large');
    take('a', 500, 'second large');
    take('a', 499, 'small after');
    await clock.advance(4_999);
    expect(passed).toEqual(['small before', 'large', 'small after']);
    await clock.advance(1);
    expect(passed).toEqual(['small before', 'large', 'small after', 'second large']);
  });

  it('lets no more pass in any time than burst and rate give', async () => {
    const step = fc.record({ bytes: fc.integer({ min: 1, max: 400 }), afterMs: fc.integer({ min: 0, max: 2_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new FakeClock();
        const quota = createByteQuota({ allowances: [{ burstBytes: 1_000, bytesPerS: 100 }], clock });
        const began = clock.monotonic();
        let sent = 0;
        let passed = 0;
        for (const { bytes, afterMs } of steps) {
          sent += bytes;
          void sleep(clock, quota.take('a', bytes)).then(() => {
            passed += bytes;
            expect(passed).toBeLessThanOrEqual(1_000 + ((clock.monotonic() - began) / 1_000) * 100 + 1);
          });
          await clock.advance(afterMs);
        }
        await clock.advance(200_000);
        // Whatever was held back has passed by now.
        expect(passed).toBe(sent);
      }),
      { numRuns: runs(30) },
    );
  });
});
