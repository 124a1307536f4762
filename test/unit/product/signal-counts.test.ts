import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type SignalCounts, summariseSignals, withSignal } from '../../../cloud/equipment/product/signal-counts.js';

const countsOf = (strengths: readonly number[]): SignalCounts => strengths.reduce<SignalCounts>(withSignal, {});

describe('the signals of an hour', () => {
  it('are summarised by the least, the middle and the greatest', () => {
    expect(summariseSignals(countsOf([-60, -90, -61]))).toEqual({
      min_rssi: -90,
      median_rssi: -61,
      max_rssi: -60,
      reports_count: 3,
    });
    expect(summariseSignals(countsOf([-60, -70]))).toMatchObject({ median_rssi: -70 });
    expect(summariseSignals(countsOf([-55.4]))).toMatchObject({ min_rssi: -55, reports_count: 1 });
    expect(() => summariseSignals({})).toThrow('no signal');
  });

  it('come out the same in whatever order they came, with the median that a sorted list has', () => {
    const strengths = fc.array(fc.integer({ min: -127, max: 20 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(strengths, (given) => {
        const sorted = given.toSorted((a, b) => a - b);
        const summary = summariseSignals(countsOf(given));
        expect(summary).toEqual({
          min_rssi: sorted[0],
          median_rssi: sorted[Math.ceil(sorted.length / 2) - 1],
          max_rssi: sorted.at(-1),
          reports_count: given.length,
        });
        expect(summariseSignals(countsOf(sorted))).toEqual(summary);
      }),
    );
  });
});
