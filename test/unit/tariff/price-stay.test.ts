import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceStay, type Stay, type Tariff, type TariffWindow } from '../../../shared/tariff/price-stay.js';

const HOUR = 60;
const MINUTE_MS = 60_000;
/** Thursday, 15 January 2026, 12:00 in UTC. */
const NOON = Date.UTC(2026, 0, 15, 12);

const tariff = (changed: Partial<Tariff> = {}): Tariff => ({
  free_minutes: 10,
  price_minor: 150,
  step_minutes: 60,
  daily_max_minor: 1_200,
  windows: [],
  ...changed,
});
const minutes = (count: number, changed: Partial<Stay> = {}): Stay => ({
  began_ms: NOON,
  ended_ms: NOON + count * MINUTE_MS,
  discount_minutes: null,
  timezone: 'UTC',
  ...changed,
});
const window = (changed: Partial<TariffWindow>): TariffWindow => ({
  days: [1, 2, 3, 4, 5, 6, 7],
  start: '20:00',
  end: '06:00',
  price: 50,
  step_minutes: 60,
  ...changed,
});

describe('the price of a stay', () => {
  it.each([
    ['no time', 0, 0],
    ['the free minutes', 10, 0],
    ['a moment more pays from the first minute', 10.001, 150],
    ['a whole step', 60, 150],
    ['a started step', 60.001, 300],
    ['up to the daily maximum', 8 * HOUR, 1_200],
    ['not over it', 24 * HOUR, 1_200],
    ['the next day begins with its own', 24 * HOUR + 1, 1_350],
    ['three days', 72 * HOUR, 3_600],
  ])('%s', (_name, stayed, price) => {
    expect(priceStay(tariff(), minutes(stayed))).toBe(price);
  });

  it.each([
    ['shortens the stay', 120, 60, 150],
    ['may leave only free minutes', 120, 110, 0],
    ['may be longer than the stay', 120, 500, 0],
    ['may be unlimited', 5_000, -1, 0],
    ['of nothing changes nothing', 120, 0, 300],
  ])('a discount %s', (_name, stayed, discount_minutes, price) => {
    expect(priceStay(tariff(), minutes(stayed, { discount_minutes }))).toBe(price);
  });

  it('has no maximum when there is none', () => {
    expect(priceStay(tariff({ daily_max_minor: null }), minutes(24 * HOUR))).toBe(24 * 150);
  });

  it('follows windows for the steps that begin in them', () => {
    const evening = tariff({ daily_max_minor: null, windows: [window({ step_minutes: 120 })] });
    // 12:00 to 20:00 at 150 an hour, 20:00 to 06:00 at 50 for two hours, 06:00 to 08:00 at 150.
    expect(priceStay(evening, minutes(20 * HOUR))).toBe(8 * 150 + 5 * 50 + 2 * 150);
    // The step that begins at 19:30 keeps its price.
    expect(
      priceStay(evening, minutes(90, { began_ms: NOON + 450 * MINUTE_MS, ended_ms: NOON + 500 * MINUTE_MS })),
    ).toBe(150);
  });

  it('counts a window after midnight to the day it began', () => {
    const thursdayNight = tariff({ windows: [window({ days: [4] })] });
    const at = (day: number, hour: number) => {
      const began_ms = Date.UTC(2026, 0, day, hour);
      return priceStay(thursdayNight, minutes(0, { began_ms, ended_ms: began_ms + 30 * MINUTE_MS }));
    };
    expect([at(15, 19), at(15, 21), at(16, 5), at(16, 6), at(16, 21), at(15, 5)]).toEqual([150, 50, 50, 150, 150, 150]);
  });

  it('takes the first window that fits, and a whole day when start and end are the same', () => {
    const sunday = window({ days: [7], start: '00:00', end: '00:00', price: 0 });
    const all = window({ start: '00:00', end: '24:00', price: 70 });
    const began_ms = Date.UTC(2026, 0, 18, 23, 30);
    const stay = minutes(0, { began_ms, ended_ms: began_ms + HOUR * MINUTE_MS });
    expect(priceStay(tariff({ step_minutes: 30, windows: [sunday, { ...all, step_minutes: 30 }] }), stay)).toBe(0);
    expect(priceStay(tariff({ windows: [all, sunday] }), stay)).toBe(70);
  });

  it('means windows in the time zone of the lot, also on the day the clocks change', () => {
    // 29 March 2026 in Zagreb: 02:00 is followed by 03:00. From 01:30 local, 00:30 UTC.
    const began_ms = Date.UTC(2026, 2, 29, 0, 30);
    const fromThree = tariff({
      free_minutes: 0,
      step_minutes: 30,
      windows: [window({ start: '03:00', end: '04:00', price: 7, step_minutes: 30 })],
    });
    const stay = minutes(0, { began_ms, ended_ms: began_ms + 90 * MINUTE_MS, timezone: 'Europe/Zagreb' });
    expect(priceStay(fromThree, stay)).toBe(150 + 7 + 7);
    expect(priceStay(fromThree, { ...stay, timezone: 'UTC' })).toBe(3 * 150);
  });

  it('never falls with time, and is never more than the maximum for each day', () => {
    fc.assert(
      fc.property(
        fc.record({
          free_minutes: fc.nat(120),
          price_minor: fc.nat(1_000),
          step_minutes: fc.integer({ min: 1, max: 240 }),
          daily_max_minor: fc.option(fc.nat(5_000)),
          windows: fc.constantFrom([], [window({})], [window({ days: [6, 7], start: '08:00', end: '18:00' })]),
        }),
        fc.nat(5_000),
        fc.nat(5_000),
        fc.constantFrom('UTC', 'Europe/Zagreb', 'Australia/Lord_Howe', 'America/New_York'),
        (priced, stayed, longer, timezone) => {
          const price = priceStay(priced, minutes(stayed, { timezone }));
          expect(priceStay(priced, minutes(stayed + longer, { timezone }))).toBeGreaterThanOrEqual(price);
          const days = Math.ceil(stayed / (24 * HOUR));
          if (priced.daily_max_minor !== null) expect(price).toBeLessThanOrEqual(days * priced.daily_max_minor);
        },
      ),
    );
  });
});
