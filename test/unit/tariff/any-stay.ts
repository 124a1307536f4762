/** Tariffs and stays of every kind, for properties. */
import * as fc from '../../property.js';
import type { Tariff, TariffWindow } from '../../../cloud/traffic/tariff/price-stay.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import type { PlacedStay } from './counted-price.js';

const HOUR = 60;
const ZONES = [
  'UTC',
  'Europe/Zagreb',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Africa/Casablanca',
];
export const minuteText = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
export const anyWindow: fc.Arbitrary<TariffWindow> = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
  start: fc.nat(1_439).map(minuteText),
  end: fc.integer({ min: 1, max: 1_440 }).map(minuteText),
  price: fc.nat(1_000),
  step_minutes: fc.integer({ min: 1, max: 240 }),
});
export const anyTariff: fc.Arbitrary<Tariff> = fc.record({
  free_minutes: fc.nat(120),
  price_minor: fc.nat(1_000),
  step_minutes: fc.oneof(fc.integer({ min: 1, max: 240 }), fc.integer({ min: 1_000, max: 5_000 })),
  daily_max_minor: fc.option(fc.nat(5_000)),
  windows: fc.array(anyWindow, { maxLength: 3 }),
});
/** Begins near a change of the clocks, or anywhere. */
const anyBeginning = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 2, 27), max: Date.UTC(2026, 2, 30) }),
  fc.integer({ min: Date.UTC(2026, 9, 23), max: Date.UTC(2026, 9, 26) }),
  fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2060, 0) }),
);
export const anyStay: fc.Arbitrary<PlacedStay> = fc
  .record({
    began_ms: anyBeginning,
    lasted_ms: fc.nat(6 * 24 * HOUR * MINUTE_MS),
    discount_minutes: fc.option(fc.integer({ min: -1, max: 300 })),
    timezone: fc.constantFrom(...ZONES),
  })
  .map(({ lasted_ms, ...stay }) => ({ ...stay, ended_ms: stay.began_ms + lasted_ms }));

const WEEK_MS = 7 * 24 * HOUR * MINUTE_MS;
const anyStep = fc.constantFrom(30, 60, 120, 1_440, 10_080);
const anyTime = fc.nat(47).map((half) => minuteText(half * 30));
const roundWindow = fc
  .record({ window: anyWindow, start: anyTime, end: anyTime, step_minutes: anyStep })
  .map(({ window: any, ...round }) => ({ ...any, ...round }));
/** Of steps that fit into days and weeks, so that weeks can be alike. */
export const roundTariff = fc
  .record({
    priced: anyTariff,
    step_minutes: anyStep,
    windows: fc.array(roundWindow, { minLength: 1, maxLength: 2 }),
  })
  .map(({ priced, ...round }) => ({ ...priced, ...round }));
/** Some weeks, with a change of the clocks or just before one. */
export const longStay = fc
  .record({
    change_ms: fc.constantFrom(Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)),
    before_ms: fc.integer({ min: WEEK_MS, max: 4 * WEEK_MS }),
    after_ms: fc.integer({ min: -WEEK_MS, max: 4 * WEEK_MS }),
  })
  .map(({ change_ms, before_ms, after_ms }) => ({
    began_ms: change_ms - before_ms,
    ended_ms: change_ms + after_ms,
    discount_minutes: null,
    timezone: 'Europe/Zagreb',
  }));
