import { describe, expect, it } from 'vitest';
import {
  comparedWith,
  comparisonOf,
  dayAt,
  daysIn,
  laidOver,
  marksOf,
  occupiedIn,
  rangeOf,
  stepOf,
  stepsFor,
  visitGroups,
} from '../../../cloud/console/wording/analytics-range.js';
import { dayBounds, periodEdges } from '../../../shared/periods.js';

const ZAGREB = 'Europe/Zagreb';
const TODAY = '2026-11-23';
const range = (from: string, to: string) => ({ from, to });

/** When the periods of these days begin. */
const startsOf = (from: string, days: number, period: 'hour' | 'day') => {
  const { from_ms } = dayBounds(ZAGREB, Date.parse(from));
  const edges = periodEdges({ timezone: ZAGREB, period, from_ms, to_ms: from_ms + days * 86_400_000, periodsMax: 1e4 });
  return (edges ?? []).slice(0, -1);
};

describe('the range of the analytics', () => {
  it('is four weeks until today, or what the address asks for', () => {
    expect(rangeOf({ from: null, to: null }, TODAY)).toEqual(range('2026-10-27', TODAY));
    expect(rangeOf({ from: '2026-11-01', to: null }, TODAY)).toEqual(range('2026-11-01', TODAY));
    expect(rangeOf({ from: '2026-11-09', to: '2026-11-02' }, TODAY)).toEqual(range('2026-11-02', '2026-11-09'));
    for (const bad of ['', 'yesterday', '2026-02-30', '2026-1-1', "2026-11-01'"])
      expect(rangeOf({ from: bad, to: bad }, TODAY), bad).toEqual(range('2026-10-27', TODAY));
    expect(daysIn(rangeOf({ from: '0001-01-01', to: null }, TODAY))).toBe(3_660);
  });

  it('is cut into periods that people can tell apart', () => {
    expect([1, 3, 4, 100, 101, 800].map((days) => stepOf(null, days))).toEqual([
      'hour',
      'hour',
      'day',
      'day',
      'week',
      'month',
    ]);
    expect(stepOf('hour', 28)).toBe('hour');
    expect(stepOf('hour', 32)).toBe('day');
    expect(stepOf('second', 28)).toBe('day');
    expect(stepsFor(800)).toEqual(['week', 'month']);
  });

  it('is compared with as many days, whole weeks before', () => {
    const week = range('2026-11-16', '2026-11-22');
    expect(comparedWith(week, 'before')).toEqual({ range: range('2026-11-09', '2026-11-15'), shiftDays: 7 });
    expect(comparedWith(week, 'year')).toEqual({ range: range('2025-11-17', '2025-11-23'), shiftDays: 364 });
    expect(comparedWith(range('2026-11-14', TODAY), 'before').shiftDays).toBe(14);
    expect(comparedWith(range('2026-11-14', TODAY), 'week').range).toEqual(range('2026-11-07', '2026-11-16'));
    expect([comparisonOf('week'), comparisonOf('moon'), comparisonOf(null)]).toEqual(['week', null, null]);
  });

  it('takes days from the clocks of the car park', () => {
    expect(dayAt(Date.parse('2026-11-22T23:30:00Z'), ZAGREB)).toBe(TODAY);
    expect(dayAt(Date.parse('2026-11-22T23:30:00Z'), 'America/New_York')).toBe('2026-11-22');
  });
});

describe('what an earlier time is laid over', () => {
  it('is the same hour by the clock, whatever daylight saving did', () => {
    // On 25 October clocks go back at three: the day has 25 hours, the Sunday before has 24.
    const starts = startsOf('2026-10-25', 1, 'hour').slice(0, 25);
    const earlier = startsOf('2026-10-18', 1, 'hour');
    const laid = laidOver(
      starts,
      { starts: earlier, values: earlier.map((_, hour) => hour) },
      { step: 'hour', timezone: ZAGREB, shiftDays: 7 },
    );
    expect(laid.slice(1, 6)).toEqual([1, 2, 2, 3, 4]);
  });

  it('is by order in longer periods, and nothing where there was none', () => {
    const of = { step: 'day' as const, timezone: ZAGREB, shiftDays: 7 };
    expect(laidOver([1, 2, 3], { starts: [0, 1], values: [7, 8] }, of)).toEqual([7, 8, null]);
  });
});

describe('the occupancy of several zones', () => {
  const zone = (...counts: number[]) =>
    counts.map((count, at) => ({ start: at * 10, min: count - 1, mean: count, max: count + 1 }));

  it('is added up, and of one zone has its least and most', () => {
    expect(occupiedIn([0, 20], [zone(1, 3, 5, 7)])).toEqual([
      { mean: 2, min: 0, max: 4 },
      { mean: 6, min: 4, max: 8 },
    ]);
    expect(occupiedIn([0, 20], [zone(1, 3, 5, 7), zone(10, 10, 10, 10)])).toEqual([
      { mean: 12, min: null, max: null },
      { mean: 16, min: null, max: null },
    ]);
  });

  it('is not known where one of them is not', () => {
    expect(occupiedIn([0, 20, 40], [zone(1, 3, 5), zone(1)])).toEqual([{ mean: 3, min: null, max: null }, null, null]);
    expect(occupiedIn([5], [zone(1)])).toEqual([null]);
    expect(occupiedIn([0], [])).toEqual([null]);
  });
});

describe('the marks of an axis', () => {
  const day = (at: number | undefined) => new Date((at ?? 0) + 3_600_000).toISOString().slice(0, 10);

  it('are days, Mondays, firsts: as many as there is room for', () => {
    const starts = startsOf('2026-11-02', 28, 'day');
    const marked = (most: number) => marksOf(starts, 'day', ZAGREB, most).map((at) => day(starts[at]));
    expect(marked(28)).toHaveLength(28);
    expect(marked(8)).toEqual(['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23']);
    expect(marked(2)).toEqual(['2026-11-02', '2026-11-16']);
    expect(marksOf(startsOf('2026-11-02', 1, 'hour'), 'hour', ZAGREB, 5)).toEqual([0, 6, 12, 18]);
    expect(marksOf([], 'day', ZAGREB, 5)).toEqual([]);
  });

  it('are never more than there is room for', () => {
    for (const step of ['hour', 'day'] as const)
      for (const days of [1, 2, 7, 20])
        for (const most of [1, 2, 3, 7, 20])
          expect(marksOf(startsOf('2026-10-20', days, step), step, ZAGREB, most).length).toBeLessThanOrEqual(most);
  });
});

describe('how often vehicles came', () => {
  it('counts each once, those that were not listed as having come once', () => {
    const groups = visitGroups([40, 12, 5, 4, 2, 2, 1, 1], 100);
    expect(groups.map(({ count }) => count)).toEqual([94, 2, 0, 2, 1, 1]);
    expect(visitGroups([], 0).every(({ count }) => count === 0)).toBe(true);
  });
});
