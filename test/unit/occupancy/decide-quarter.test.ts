import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  decidePeriods,
  type Quarter,
  QUARTER_MS,
  quarterOf,
  quietQuarter,
  withChange,
} from '../../../cloud/traffic/occupancy/decide-quarter.js';
import { createSessionFold, type Stay } from '../../../cloud/traffic/occupancy/decide-session-quarters.js';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';

/** Quarters of changes that come in their order. */
function quartersOf(changes: { at: number; delta: number }[]): Quarter[] {
  const quarters: Quarter[] = [];
  for (const change of changes) {
    const quarter = quarterOf(change.at);
    const last = quarters.at(-1);
    if (last?.quarter === quarter) quarters[quarters.length - 1] = withChange(last, change);
    else quarters.push(withChange(quietQuarter(quarter, last?.last_count ?? 0), change));
  }
  return quarters;
}

describe('the periods of a plot', () => {
  it('have their mean, least and most, also where nothing changed', () => {
    const quarters = quartersOf([
      { at: 30 * MINUTE_MS, delta: 2 },
      { at: 45 * MINUTE_MS, delta: -1 },
      { at: 150 * MINUTE_MS, delta: 1 },
    ]);
    const edges = [0, HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 4 * HOUR_MS];
    expect(decidePeriods({ quarters, edges, before: 0, now: 4 * HOUR_MS })).toEqual([
      { from_ms: 0, min: 0, mean: 0.75, max: 2 },
      { from_ms: HOUR_MS, min: 1, mean: 1, max: 1 },
      { from_ms: 2 * HOUR_MS, min: 1, mean: 1.5, max: 2 },
      { from_ms: 3 * HOUR_MS, min: 2, mean: 2, max: 2 },
    ]);
  });

  it('end now', () => {
    const quarters = quartersOf([{ at: 10 * MINUTE_MS, delta: 1 }]);
    const [period, ...others] = decidePeriods({ quarters, edges: [0, HOUR_MS], before: 0, now: 20 * MINUTE_MS });
    expect([period, others]).toEqual([{ from_ms: 0, min: 0, mean: 0.5, max: 1 }, []]);
    const early = decidePeriods({ quarters, edges: [0, HOUR_MS], before: 0, now: 12 * MINUTE_MS });
    expect(early[0]?.mean).toBeCloseTo(2 / 12);
  });

  it('begin with the quarter before them, or with what is known without any', () => {
    const edges = [HOUR_MS, 2 * HOUR_MS];
    const of = { edges, now: 2 * HOUR_MS };
    expect(decidePeriods({ ...of, quarters: quartersOf([{ at: 5, delta: 3 }]), before: 0 })[0]?.mean).toBe(3);
    expect(decidePeriods({ ...of, quarters: [], before: 4 })[0]).toMatchObject({ min: 4, mean: 4, max: 4 });
  });

  it('say the same as a count by the minute', () => {
    const minutes = 8 * 60;
    const change = fc.record({ minute: fc.nat(minutes - 1), delta: fc.constantFrom(1, -1) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const ordered = changes.toSorted((a, b) => a.minute - b.minute);
        const quarters = quartersOf(ordered.map(({ minute, delta }) => ({ at: minute * MINUTE_MS, delta })));
        const edges = Array.from({ length: 9 }, (_, hour) => hour * HOUR_MS);
        const periods = decidePeriods({ quarters, edges, before: 0, now: 8 * HOUR_MS });
        for (const [hour, period] of periods.entries()) {
          const counts = Array.from({ length: 60 }, (_, minute) =>
            ordered.filter((each) => each.minute <= hour * 60 + minute).reduce((sum, { delta }) => sum + delta, 0),
          );
          expect(period.mean).toBeCloseTo(counts.reduce((sum, count) => sum + count, 0) / 60);
          expect(period.min).toBeLessThanOrEqual(Math.min(...counts));
          expect(period.max).toBeGreaterThanOrEqual(Math.max(...counts));
        }
      }),
    );
  });

  it('have an exact mean and true bounds when changes of a quarter come in any order', () => {
    const change = fc.record({ at: fc.integer({ min: 0, max: QUARTER_MS - 1 }), delta: fc.constantFrom(1, -1) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        const fold = (list: typeof changes) => list.reduce(withChange, quietQuarter(0, 5));
        const inOrder = fold(changes.toSorted((a, b) => a.at - b.at));
        const asTheyCame = fold(changes);
        expect(asTheyCame.area).toBe(inOrder.area);
        expect(asTheyCame.last_count).toBe(inOrder.last_count);
        expect(asTheyCame.min_count).toBeLessThanOrEqual(asTheyCame.last_count);
        expect(asTheyCame.max_count).toBeGreaterThanOrEqual(asTheyCame.last_count);
      }),
    );
  });
});

describe('the quarters of sessions', () => {
  const at = (quarters: Quarter[], hour: number) =>
    decidePeriods({ quarters, edges: [hour * HOUR_MS, (hour + 1) * HOUR_MS], before: 0, now: 99 * HOUR_MS })[0]?.min;
  const stay = (from: number, to: number | null) => ({
    began_ms: from * HOUR_MS,
    ended_ms: to === null ? null : to * HOUR_MS,
  });
  const of = (
    stays: ReturnType<typeof stay>[],
    recounts: Parameters<typeof createSessionFold>[0]['recounts'] = [],
    pageSize = 100,
  ) => {
    const fold = createSessionFold({ recounts, longest_ms: 10 * HOUR_MS, until: 99 * HOUR_MS });
    for (let first = 0; first < stays.length; first += pageSize) {
      const page: Stay[] = stays.slice(first, first + pageSize);
      fold.add(page, page.at(-1)?.began_ms ?? 0);
    }
    return fold.quarters();
  };

  it('count stays until they end, or are too long', () => {
    const quarters = of([stay(1, 3), stay(2, null)]);
    expect([1, 2, 4, 11, 12].map((hour) => at(quarters, hour))).toEqual([1, 2, 1, 1, 0]);
  });

  it('follow a recount: the oldest stays were none, and some vehicles have no session', () => {
    const recount = {
      occupied_count: 1,
      uncounted_until: HOUR_MS,
      extra_count: 0,
      counted_at: 4 * HOUR_MS,
      left_at: [],
    };
    const fewer = of([stay(1, 6), stay(2, 8)], [recount]);
    expect([2, 3, 4, 6, 8].map((hour) => at(fewer, hour))).toEqual([2, 2, 1, 1, 0]);
    const more = of([stay(1, 6)], [{ ...recount, occupied_count: 3, uncounted_until: 0, extra_count: 2 }]);
    expect([3, 4, 6, 13, 14].map((hour) => at(more, hour))).toEqual([1, 3, 2, 2, 0]);
    // One of them was seen leaving.
    const left = of(
      [stay(1, 6)],
      [{ ...recount, occupied_count: 3, uncounted_until: 0, extra_count: 2, left_at: [5 * HOUR_MS] }],
    );
    expect([3, 4, 5, 6, 13, 14].map((hour) => at(left, hour))).toEqual([1, 3, 2, 1, 1, 0]);
  });

  it('are the same however many stays are read at once', () => {
    const stays = fc.array(fc.tuple(fc.integer({ min: 0, max: 80 }), fc.option(fc.integer({ min: 1, max: 20 }))), {
      maxLength: 40,
    });
    const counted = fc.array(fc.record({ at: fc.integer({ min: 0, max: 90 }), extra_count: fc.nat(3) }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(stays, counted, fc.integer({ min: 1, max: 7 }), (given, recounted, pageSize) => {
        const sorted = given
          .map(([began, length]) => stay(began, length === null ? null : began + length))
          .sort((a, b) => a.began_ms - b.began_ms);
        const recounts = recounted
          .sort((a, b) => a.at - b.at)
          .map(({ at: hour, extra_count }) => ({
            occupied_count: 0,
            uncounted_until: (hour - 2) * HOUR_MS,
            extra_count,
            counted_at: hour * HOUR_MS,
            left_at: [],
          }));
        const edges = Array.from({ length: 100 }, (_, hour) => hour * HOUR_MS);
        const periods = (quarters: Quarter[]) => decidePeriods({ quarters, edges, before: 0, now: 99 * HOUR_MS });
        expect(periods(of(sorted, recounts, pageSize))).toEqual(periods(of(sorted, recounts)));
      }),
    );
  });
});
