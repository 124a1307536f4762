import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { commonStep, type Period, periodEdges, PERIODS } from '../../../shared/periods.js';
import { type LocalTime, localTime } from '../tariff/local-time.js';
import { runs } from '../../depth.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = [
  'UTC',
  'Europe/Zagreb',
  'America/Havana',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

const edgesOf = (period: Period, timezone: string, from: string, to: string) =>
  (
    periodEdges({
      timezone,
      period,
      from_ms: Date.parse(from),
      to_ms: Date.parse(to),
      periodsMax: 1_000,
    }) ?? []
  ).map((edge) => new Date(edge).toISOString().slice(0, 16));

describe('periods', () => {
  it('are 23 and 25 hours long for days on which the clocks change', () => {
    expect(edgesOf('day', 'Europe/Zagreb', '2026-03-28T12:00Z', '2026-03-30T12:00Z')).toEqual([
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
      '2026-03-30T22:00',
    ]);
    expect(edgesOf('day', 'Europe/Zagreb', '2026-10-24T22:00Z', '2026-10-25T23:00Z')).toEqual([
      '2026-10-24T22:00',
      '2026-10-25T23:00',
    ]);
  });

  it('skip an hour in spring, and have one twice in autumn', () => {
    const spring = ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00'];
    expect(edgesOf('hour', 'Europe/Zagreb', '2026-03-29T00:30Z', '2026-03-29T02:00Z')).toEqual(spring);
    const autumn = ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'];
    expect(edgesOf('hour', 'Europe/Zagreb', '2026-10-25T00:30Z', '2026-10-25T01:30Z')).toEqual(autumn);
    expect(edgesOf('hour', 'Asia/Kathmandu', '2026-01-01T00:00Z', '2026-01-01T00:30Z')).toEqual([
      '2025-12-31T23:15',
      '2026-01-01T00:15',
      '2026-01-01T01:15',
    ]);
    // The clock is put forward from 02:00 to 02:30: half an hour is left of that hour.
    expect(edgesOf('hour', 'Australia/Lord_Howe', '2026-10-03T15:00Z', '2026-10-03T16:30Z')).toEqual([
      '2026-10-03T14:30',
      '2026-10-03T15:30',
      '2026-10-03T16:00',
      '2026-10-03T17:00',
    ]);
  });

  it('begin on Monday for weeks, on the first for months', () => {
    expect(edgesOf('week', 'UTC', '2026-01-15T12:00Z', '2026-01-19T00:00Z')).toEqual([
      '2026-01-12T00:00',
      '2026-01-19T00:00',
    ]);
    expect(edgesOf('month', 'Europe/Zagreb', '2025-12-31T23:00Z', '2026-04-01T00:00Z')).toEqual([
      '2025-12-31T23:00',
      '2026-01-31T23:00',
      '2026-02-28T23:00',
      '2026-03-31T22:00',
      '2026-04-30T22:00',
    ]);
  });

  it('begin when the day begins, though midnight is skipped or a whole day is', () => {
    expect(edgesOf('day', 'Asia/Beirut', '2026-03-28T12:00Z', '2026-03-29T12:00Z')).toEqual([
      '2026-03-27T22:00',
      '2026-03-28T22:00',
      '2026-03-29T21:00',
    ]);
    // 30 December 2011 did not happen in Samoa.
    expect(edgesOf('day', 'Pacific/Apia', '2011-12-29T11:00Z', '2011-12-31T09:00Z')).toEqual([
      '2011-12-29T10:00',
      '2011-12-30T10:00',
      '2011-12-31T10:00',
    ]);
  });

  it('are not made when they are too many', () => {
    const range = { timezone: 'UTC', period: 'hour', from_ms: 0, to_ms: 10 * HOUR } as const;
    expect(periodEdges({ ...range, periodsMax: 10 })).toHaveLength(11);
    expect(periodEdges({ ...range, periodsMax: 9 })).toBeNull();
  });

  const anyRange = fc.record({
    timezone: fc.constantFrom(...ZONES),
    period: fc.constantFrom(...PERIODS),
    from_ms: fc.oneof(
      fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }),
      fc.integer({ min: Date.UTC(2026, 2, 25), max: Date.UTC(2026, 3, 6) }),
      fc.integer({ min: Date.UTC(2026, 9, 1), max: Date.UTC(2026, 9, 30) }),
    ),
    lasts_ms: fc.integer({ min: 1, max: 40 * DAY }),
  });

  it('cover the time without a gap, and each is one hour, day, week or month of the local calendar', () => {
    fc.assert(
      fc.property(anyRange, ({ lasts_ms, ...range }) => {
        const { timezone, period, from_ms } = range;
        const to_ms = from_ms + lasts_ms;
        const edges = periodEdges({ ...range, to_ms, periodsMax: 2_000 }) ?? [];
        expect(edges.length).toBeGreaterThan(1);
        expect(edges[0]).toBeLessThanOrEqual(from_ms);
        expect(edges[1]).toBeGreaterThan(from_ms);
        expect(edges.at(-1)).toBeGreaterThanOrEqual(to_ms);
        expect(edges.at(-2)).toBeLessThan(to_ms);
        for (const [index, edge] of edges.slice(1).entries()) {
          const before = edges[index] ?? 0;
          expect(edge).toBeGreaterThan(before);
          const [first, last, next] = [before, edge - 1, edge].map((at) => nameOf(localTime(at, timezone), period));
          expect(last).toBe(first);
          if (period !== 'hour') expect(next).not.toBe(first);
          else expect(edge - before).toBeLessThanOrEqual(1.5 * HOUR);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('are each whole multiples of their common step apart', () => {
    fc.assert(
      fc.property(anyRange, ({ lasts_ms, ...range }) => {
        const edges = periodEdges({ ...range, to_ms: range.from_ms + lasts_ms, periodsMax: 2_000 }) ?? [];
        const step = commonStep(edges);
        expect(step).toBeGreaterThan(0);
        for (const edge of edges) expect((edge - (edges[0] ?? 0)) % step).toBe(0);
      }),
    );
  });
});

/** What people call the period that a local time lies in. */
function nameOf({ year, month, day, hour, dayOfWeek }: LocalTime, period: Period): string {
  const monday = new Date(Date.UTC(year, month - 1, day - dayOfWeek + 1)).toISOString().slice(0, 10);
  const names = {
    hour: `${year}-${month}-${day} ${hour}`,
    day: `${year}-${month}-${day}`,
    week: monday,
    month: `${year}-${month}`,
  };
  return names[period];
}
