import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_RETRIES } from '../../../cloud/doors/webhook/delivery-attempts.js';
import { decideRetry } from '../../../cloud/kernel/delivery/decide-retry.js';
import { DAY_MS } from '../../../shared/durations.js';

/** The moments of all tries, milliseconds after the first. */
function tries(random: () => number): number[] {
  const moments = [0];
  for (;;) {
    const next = decideRetry(WEBHOOK_RETRIES, { beganAt: 1_000, now: 1_000 + (moments.at(-1) ?? 0), random: random() });
    if (next === null) return moments;
    moments.push(next - 1_000);
  }
}

describe('tries of a delivery', () => {
  it('are seconds apart at first, then minutes, then hours, for three days', () => {
    const seconds = tries(() => 0).map((ms) => ms / 1_000);
    expect(seconds.slice(0, 8)).toEqual([0, 5, 15, 45, 135, 405, 1_215, 3_645]);
    expect(seconds.slice(8, 11)).toEqual([10_935, 10_935 + 21_600, 10_935 + 43_200]);
    expect(seconds.at(-1)).toBe(3 * 86_400);
    expect(seconds).toHaveLength(21);
  });

  it('leave a receiver alone as long as it asks, and never come sooner than they would by themselves', () => {
    const next = (leftAloneMs: number | null, elapsed = 0) =>
      (decideRetry(WEBHOOK_RETRIES, { beganAt: 1_000, now: 1_000 + elapsed, random: 0, leftAloneMs }) ?? NaN) - 1_000;
    expect([next(null), next(120_000), next(1_000)]).toEqual([5_000, 120_000, 5_000]);
    expect(next(3_600_000, 3 * DAY_MS - 1_000)).toBe(3 * DAY_MS);
  });

  it('grow apart whatever chance says, and end after three days exactly', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), (chances) => {
        const moments = tries(() => chances.next().value as number);
        const waits = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
        expect(moments.at(-1)).toBe(3 * DAY_MS);
        expect(Math.max(...waits)).toBeLessThanOrEqual(DAY_MS / 4);
        expect(waits[0]).toBeGreaterThanOrEqual(4_000);
        for (const [index, wait] of waits.slice(0, 7).entries()) {
          if (index > 0) expect(wait).toBeGreaterThan(waits[index - 1] ?? 0);
        }
        expect(moments.length).toBeLessThan(30);
      }),
    );
  });

  it('do not begin anew when the clock jumps', () => {
    expect(decideRetry(WEBHOOK_RETRIES, { beganAt: 5_000, now: 1_000, random: 0 })).toBe(6_000);
    expect(decideRetry(WEBHOOK_RETRIES, { beganAt: 0, now: 10 * 365 * DAY_MS, random: 0 })).toBeNull();
  });
});
