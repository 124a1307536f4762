/** What a tariff costs by the length of a stay, by the code that bills it. Pure. */
import { majorUnits } from '../../../shared/currencies.js';
import { priceStaysBy } from '../../traffic/tariff/price-stay.js';
import { zoneOffsets } from '../../../shared/zone-offsets.js';
import { pricedTariff, type TariffBody } from './money-checks.js';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';

/** A curve has no more points: on a screen they would fall together. */
const POINTS_MAX = 2_016;

/** Lengths of stays that people think of, in minutes. */
export const EXAMPLE_MINUTES: readonly number[] = [10, 30, 60, 90, 120, 240, 480, 720, 1_440, 2_880, 10_080];
/** How far a curve can go, in minutes. */
export const CURVE_MINUTES: readonly number[] = [240, 720, 1_440, 4_320, 10_080];

export type PricedBody = Omit<TariffBody, 'name' | 'vat'>;

export interface ExampleStay {
  began_ms: number;
  ended_ms: number;
}

/** @returns the price of a stay in the major unit */
export function priceOfStay(body: PricedBody, timezone: string): (stay: ExampleStay) => number {
  const price = priceStaysBy(pricedTariff(body), timezone);
  return (stay) => majorUnits(price({ ...stay, discount_minutes: null }), body.currency);
}

/** @returns the price in the major unit of a stay of so many minutes that begins at a moment */
export function priceOfMinutes(body: PricedBody, timezone: string, began_ms: number): (minutes: number) => number {
  const price = priceOfStay(body, timezone);
  return (minutes) => price({ began_ms, ended_ms: began_ms + minutes * MINUTE_MS });
}

/** Stays at hours that often have a price of their own, which stays from a morning on do not show. */
export const HOURS = { night: { from: '20:00', to: '07:00' }, saturday: { from: '10:00', to: '18:00' } } as const;

/** The night that begins at a day, and the next Saturday. @param day `2026-11-23`, by the clocks of the time zone */
export function exampleHours(day: string, timezone: string): Record<keyof typeof HOURS, ExampleStay | null> {
  const later = (days: number) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
  const stay = (from: string, to: string): ExampleStay | null => {
    const [began_ms, ended_ms] = [instantOf(from, timezone), instantOf(to, timezone)];
    return began_ms === null || ended_ms === null ? null : { began_ms, ended_ms };
  };
  if (Number.isNaN(Date.parse(day))) return { night: null, saturday: null };
  const { night, saturday } = HOURS;
  const next = later((6 - new Date(day).getUTCDay() + 7) % 7);
  return {
    night: stay(`${day}T${night.from}`, `${later(1)}T${night.to}`),
    saturday: stay(`${next}T${saturday.from}`, `${next}T${saturday.to}`),
  };
}

/** The lengths at which a curve is drawn: each minute, or for long ones as many as there is room for. */
export function curveMinutes(most: number): number[] {
  const unit = [1, 5, 15].find((each) => most / each <= POINTS_MAX) ?? 60;
  return Array.from({ length: Math.floor(most / unit) + 1 }, (_, at) => at * unit);
}

/** The places of a curve at which the price is about to change, and its end: between them it is the same. */
export const lastOfSteps = (amounts: readonly number[]): number[] =>
  amounts.flatMap((amount, at) => (at > 0 && amount !== amounts[at + 1] ? [at] : []));

/** The moment at which clocks of a time zone show `2026-11-23T08:00`; null for no such text. Of an hour that is twice, the first. */
export function instantOf(local: string, timezone: string): number | null {
  const wall = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
  if (Number.isNaN(wall)) return null;
  const offsets = zoneOffsets(timezone);
  const before = wall - offsets(wall - 24 * 60 * MINUTE_MS).offset_ms;
  const after = wall - offsets(before).offset_ms;
  return offsets(before).offset_ms === wall - before ? before : after;
}

/** The Monday of a week at eight, as clocks show it: a stay of people who work. @param local_ms local time, read as UTC */
export function mondayMorning(local_ms: number): string {
  const day = 24 * 60 * MINUTE_MS;
  const date = Math.floor(local_ms / day);
  const monday = date - ((((date + 3) % 7) + 7) % 7);
  return `${new Date(monday * day).toISOString().slice(0, 10)}T08:00`;
}
