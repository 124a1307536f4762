/**
 * What a stay costs (REST contract, "Sessions"): nothing up to the free minutes, beyond them every started step from the
 * first minute on; at most the daily maximum per 24 h from the entry; a discount shortens the stay at its end. The same
 * stay always costs the same, wherever it is computed.
 */
import { createLocalMinutes, type LocalMinute } from './local-minutes.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Another price for the steps that begin in it. */
export interface TariffWindow {
  /** 1 is Monday. */
  days: readonly number[];
  /** HH:MM in the lot's time zone; an end at or before the start is on the next day. */
  start: string;
  end: string;
  /** Minor units of the currency per started step. */
  price: number;
  step_minutes: number;
}

export interface Tariff {
  free_minutes: number;
  /** Minor units of the currency per started step. */
  price_minor: number;
  step_minutes: number;
  /** null: none. */
  daily_max_minor: number | null;
  /** The first that fits counts. */
  windows: readonly TariffWindow[];
}

export interface Stay {
  began_ms: number;
  ended_ms: number;
  /** -1: unlimited. */
  discount_minutes: number | null;
  /** IANA name. */
  timezone: string;
}

/** The price in minor units, tax included. */
export function priceStay(tariff: Tariff, stay: Stay): number {
  if (stay.discount_minutes === -1) return 0;
  const end = stay.ended_ms - (stay.discount_minutes ?? 0) * MINUTE_MS;
  if (end - stay.began_ms <= tariff.free_minutes * MINUTE_MS) return 0;
  const stepAt = stepsOf(tariff, stay.timezone);
  let total = 0;
  let ofDay = 0;
  let dayEnd = stay.began_ms + DAY_MS;
  for (let at = stay.began_ms; at < end; ) {
    while (at >= dayEnd) {
      total += atMost(ofDay, tariff.daily_max_minor);
      ofDay = 0;
      dayEnd += DAY_MS;
    }
    const step = stepAt(at);
    ofDay += step.price;
    at += step.minutes * MINUTE_MS;
  }
  return total + atMost(ofDay, tariff.daily_max_minor);
}

interface Step {
  price: number;
  minutes: number;
}

/** The price and length of the step that begins at a time. */
function stepsOf(tariff: Tariff, timezone: string): (at: number) => Step {
  const usual: Step = { price: tariff.price_minor, minutes: tariff.step_minutes };
  if (tariff.windows.length === 0) return () => usual;
  const localMinute = createLocalMinutes(timezone);
  const windows = tariff.windows.map((window) => ({
    holds: windowTest(window),
    step: { price: window.price, minutes: window.step_minutes },
  }));
  return (at) => {
    const minute = localMinute(at);
    return windows.find(({ holds }) => holds(minute))?.step ?? usual;
  };
}

function windowTest({ days, start, end }: TariffWindow): (minute: LocalMinute) => boolean {
  const from = minuteOfDay(start);
  const to = minuteOfDay(end);
  if (from < to) return ({ day, minute }) => days.includes(day) && minute >= from && minute < to;
  return ({ day, minute }) =>
    (minute >= from && days.includes(day)) || (minute < to && days.includes(day === 1 ? 7 : day - 1));
}

function minuteOfDay(time: string): number {
  const [hours = '', minutes = ''] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

const atMost = (price: number, max: number | null): number => (max === null ? price : Math.min(price, max));
