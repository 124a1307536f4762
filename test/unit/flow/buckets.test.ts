import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../../shared/clock.js';
import { type BucketOptions, createBuckets } from '../../../shared/flow/buckets.js';
import { runs } from '../../depth.js';
import { FakeClock } from '../../world/fake-clock.js';

function bucketsOf(options: Partial<Omit<BucketOptions, 'clock'>> = {}) {
  const clock = new FakeClock();
  const buckets = createBuckets({ clock, size: 1_000, refill: { eachMs: 10 }, keysMax: 100, ...options });
  const passed: string[] = [];
  const owe = (key: string, tokens: number, name = key) =>
    void sleep(clock, buckets.owe(key, tokens)).then(() => passed.push(name));
  return { clock, buckets, passed, owe };
}

describe('token buckets', () => {
  it('let a burst pass at once, and then so much a second, each key for itself', async () => {
    const { clock, passed, owe } = bucketsOf();
    owe('a', 1_000, 'burst');
    owe('a', 200, 'later');
    owe('b', 1_000, 'other');
    await clock.advance(0);
    expect(passed).toEqual(['burst', 'other']);
    await clock.advance(1_999);
    expect(passed).toEqual(['burst', 'other']);
    await clock.advance(1);
    expect(passed).toEqual(['burst', 'other', 'later']);
    await clock.advance(20_000);
    owe('a', 1_000, 'burst again');
    await clock.advance(0);
    expect(passed.at(-1)).toBe('burst again');
  });

  it('give no token that is not there, and say when it will be', async () => {
    const { clock, buckets } = bucketsOf({ size: 2, refill: { eachMs: 100 } });
    expect([buckets.waitMs('a', 2), buckets.spend('a', 2), buckets.spend('a'), buckets.spend('b')]).toEqual([
      0, 0, 100, 0,
    ]);
    await clock.advance(60);
    expect([buckets.spend('a'), buckets.waitMs('a', 2), buckets.spent('a'), buckets.fullInMs('a')]).toEqual([
      40, 140, 1.4, 140,
    ]);
    await clock.advance(40);
    expect([buckets.spend('a'), buckets.spend('a')]).toEqual([0, 100]);
    buckets.giveBack('a');
    expect([buckets.spend('a'), buckets.spend('a')]).toEqual([0, 100]);
    buckets.forget('a');
    expect([buckets.spent('a'), buckets.spend('a', 2)]).toEqual([0, 0]);
  });

  it('are full again at once, a while after the first token was spent', async () => {
    const { clock, buckets } = bucketsOf({ size: 2, refill: { allAfterMs: 60_000 } });
    expect(buckets.spend('a')).toBe(0);
    await clock.advance(59_999);
    expect([buckets.spend('a'), buckets.spend('a'), buckets.fullInMs('a'), buckets.spent('a')]).toEqual([0, 1, 1, 2]);
    await clock.advance(1);
    expect([buckets.spent('a'), buckets.fullInMs('a'), buckets.spend('a', 2), buckets.spend('a')]).toEqual([
      0, 0, 0, 60_000,
    ]);
  });

  it('are bounded: keys that are full are forgotten, and then those that spent least', async () => {
    const { clock, buckets } = bucketsOf({ size: 10, keysMax: 10 });
    buckets.owe('full soon', 1);
    await clock.advance(10);
    buckets.owe('most', 9);
    for (let made = 0; made < 8; made++) buckets.owe(`made up ${made}`, 2);
    // The eleventh key, for which the full one goes and one of those that spent least.
    buckets.owe('least', 1);
    const known = (key: string) => buckets.spent(key) > 0;
    expect(['most', 'made up 0', 'made up 7', 'least'].map(known)).toEqual([true, true, true, false]);
    for (let made = 8; made < 1_000; made++) buckets.owe(`made up ${made}`, 2);
    expect(['most', 'made up 0', 'made up 999'].map(known)).toEqual([true, false, true]);
  });

  it('let no more pass in any time than burst and rate give', async () => {
    const step = fc.record({ bytes: fc.integer({ min: 1, max: 400 }), afterMs: fc.integer({ min: 0, max: 2_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new FakeClock();
        const buckets = createBuckets({ clock, size: 1_000, refill: { eachMs: 10 }, keysMax: 1 });
        const began = clock.monotonic();
        let sent = 0;
        let passed = 0;
        for (const { bytes, afterMs } of steps) {
          sent += bytes;
          void sleep(clock, buckets.owe('a', bytes)).then(() => {
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
