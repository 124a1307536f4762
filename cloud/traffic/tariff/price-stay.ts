/**
 * Prices a stay (REST contract, "Sessions"). A stay up to the free minutes costs nothing. A longer stay costs every started step from
 * its first minute on, and at most the daily maximum per 24 h from its beginning. It is as long as its `duration`, in whole seconds. A
 * discount shortens the stay at its end. The same stay always costs the same, wherever it is computed.
 */
import { type OffsetSpan, zoneOffsets } from '../../../shared/zone-offsets.js';
import { DAY_MS, SECOND_MS } from '../../../shared/durations.js';

const MINUTE_MS = 60 * SECOND_MS;
const WEEK_MS = 7 * DAY_MS;
const MINUTES_PER_DAY = 24 * 60;
const MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY;
/** 1 January 1970 was a Thursday. */
const EPOCH_WEEK_MINUTE = 3 * MINUTES_PER_DAY;

/** A part of the week in which the steps that begin have another price. */
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
  /** null: no maximum. */
  daily_max_minor: number | null;
  /** The first window that fits counts. */
  windows: readonly TariffWindow[];
}

export interface Stay {
  began_ms: number;
  ended_ms: number;
  /** -1: unlimited. */
  discount_minutes: number | null;
}

/** The price of a stay in minor units, tax included. */
export type PriceOfStay = (stay: Stay) => number;

/** Hears what a price is made of while it is counted, in the order of time. */
export interface StepListener {
  /** These steps are equal. @param steps.to_ms where the last of them ends, or the stay */
  onSteps(steps: { step: Step; count: number; from_ms: number; to_ms: number }): void;
  /** 24 h are over, or the stay is. @param price what its steps cost, without the maximum */
  onDayEnd(price: number): void;
  /** A week begins that those after it may be like. */
  onWeek(): void;
  /** Whole weeks cost the same as the one before them. @param weeks.price that of one */
  onWeeksAlike(weeks: { count: number; price: number; from_ms: number; to_ms: number }): void;
}

/**
 * Prepares a tariff for pricing stays in one time zone. Equal steps are counted at once, and so are equal weeks.
 * @param timezone IANA name, in which the windows are written
 * @throws RangeError for a name that is no time zone, if the tariff has windows
 */
export function priceStaysBy(tariff: Tariff, timezone: string): PriceOfStay {
  const priceOfSteps = countStepsBy(tariff, timezone);
  return (stay) => {
    const { began_ms, charged_until_ms } = partsOf(tariff, stay);
    return priceOfSteps(began_ms, charged_until_ms);
  };
}

/** The parts of a stay, which follow each other; one that is not there ends where it begins. */
interface StayParts {
  began_ms: number;
  /** Until then steps are paid for. */
  charged_until_ms: number;
  /** Until then the free minutes of the tariff last. */
  free_until_ms: number;
  /** From then on the minutes are free that were granted. The duration that is shown is what is paid for: whole seconds. */
  ended_ms: number;
}

export function partsOf({ free_minutes }: Tariff, { began_ms, ended_ms, discount_minutes }: Stay): StayParts {
  const until_ms = began_ms + Math.max(0, Math.floor((ended_ms - began_ms) / SECOND_MS) * SECOND_MS);
  const granted_ms = discount_minutes === -1 ? Number.POSITIVE_INFINITY : (discount_minutes ?? 0) * MINUTE_MS;
  const own_until_ms = Math.max(began_ms, until_ms - granted_ms);
  const isFree = own_until_ms - began_ms <= free_minutes * MINUTE_MS;
  return {
    began_ms,
    charged_until_ms: isFree ? began_ms : own_until_ms,
    free_until_ms: own_until_ms,
    ended_ms: until_ms,
  };
}

/** @returns what counts the price of the steps that begin in a span of time */
export function countStepsBy(
  tariff: Tariff,
  timezone: string,
): (began_ms: number, end: number, listener?: StepListener) => number {
  const stepAt = stepsOf(tariff, timezone);
  const ofOneDay = (price: number) =>
    tariff.daily_max_minor === null ? price : Math.min(price, tariff.daily_max_minor);
  return (began_ms, end, listener) => {
    let total = 0;
    let ofDay = 0;
    let dayEnd = began_ms + DAY_MS;
    let week = { from_ms: began_ms, total, same_until_ms: Number.NEGATIVE_INFINITY };
    for (let at = began_ms; at < end; ) {
      while (at >= dayEnd) {
        listener?.onDayEnd(ofDay);
        total += ofOneDay(ofDay);
        ofDay = 0;
        dayEnd += DAY_MS;
      }
      const step = stepAt(at);
      if (ofDay === 0 && at - week.from_ms >= WEEK_MS) {
        // A week costs the same as the one before it, as long as steps begin at the same times of the week.
        const isAlike = at - week.from_ms === WEEK_MS && week.same_until_ms > at;
        const alike = isAlike ? Math.max(0, Math.floor((Math.min(end, step.same_until_ms) - at) / WEEK_MS)) : 0;
        if (alike > 0) {
          const price = total - week.total;
          listener?.onWeeksAlike({ count: alike, price, from_ms: at, to_ms: at + alike * WEEK_MS });
          total += alike * price;
          at += alike * WEEK_MS;
          dayEnd += alike * WEEK_MS;
        }
        listener?.onWeek();
        week = { from_ms: at, total, same_until_ms: step.same_until_ms };
        if (alike > 0) continue;
      }
      const count = Math.ceil((Math.min(end, dayEnd, step.until_ms) - at) / step.step_ms);
      const next = at + count * step.step_ms;
      listener?.onSteps({ step, count, from_ms: at, to_ms: Math.min(end, next) });
      ofDay += count * step.price;
      at = next;
    }
    listener?.onDayEnd(ofDay);
    return total + ofOneDay(ofDay);
  };
}

/** The price and length of a step, and until when the steps that begin are equal to it. */
export interface Step {
  price: number;
  step_ms: number;
  /** The window that gives it its price; undefined: none, the tariff itself. */
  window: TariffWindow | undefined;
  until_ms: number;
  /** Until when local time keeps its offset from UTC. */
  same_until_ms: number;
}

function stepsOf(tariff: Tariff, timezone: string): (at: number) => Step {
  const usual = { price: tariff.price_minor, step_ms: tariff.step_minutes * MINUTE_MS, window: undefined };
  if (tariff.windows.length === 0) {
    const always = { ...usual, until_ms: Number.POSITIVE_INFINITY, same_until_ms: Number.POSITIVE_INFINITY };
    return () => always;
  }
  const offsets = zoneOffsets(timezone);
  const spans = weekOf(tariff.windows);
  let offset: OffsetSpan = { offset_ms: 0, until_ms: Number.NEGATIVE_INFINITY };
  let offsetFrom = Number.POSITIVE_INFINITY;
  return (at) => {
    if (at < offsetFrom || at >= offset.until_ms) {
      offset = offsets(at);
      offsetFrom = at;
    }
    const minutes = Math.floor((at + offset.offset_ms) / MINUTE_MS);
    const weekMinute = (((minutes + EPOCH_WEEK_MINUTE) % MINUTES_PER_WEEK) + MINUTES_PER_WEEK) % MINUTES_PER_WEEK;
    const { window, end } = spanAt(spans, weekMinute);
    const until_ms = (minutes + end - weekMinute) * MINUTE_MS - offset.offset_ms;
    return {
      price: window?.price ?? usual.price,
      step_ms: window === undefined ? usual.step_ms : window.step_minutes * MINUTE_MS,
      window,
      until_ms: Math.min(until_ms, offset.until_ms),
      same_until_ms: offset.until_ms,
    };
  };
}

/** A part of the week, in minutes since Monday 00:00, with the window that counts in it. */
interface WeekSpan {
  end: number;
  window: TariffWindow | undefined;
}

function weekOf(windows: readonly TariffWindow[]): WeekSpan[] {
  const tests = windows.map((window) => ({ window, holds: windowTest(window) }));
  const edges = new Set([MINUTES_PER_WEEK]);
  for (let day = 0; day < 7; day++) {
    edges.add(day * MINUTES_PER_DAY);
    for (const { start, end } of windows) {
      for (const time of [start, end]) edges.add(day * MINUTES_PER_DAY + minuteOfDay(time));
    }
  }
  const sorted = [...edges].filter((edge) => edge <= MINUTES_PER_WEEK).sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => ({
    end,
    window: tests.find(({ holds }) => holds(sorted[index] ?? 0))?.window,
  }));
}

function spanAt(spans: readonly WeekSpan[], weekMinute: number): WeekSpan {
  let low = 0;
  let high = spans.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) > weekMinute) high = middle;
    else low = middle + 1;
  }
  return spans[low] ?? { end: MINUTES_PER_WEEK, window: undefined };
}

function windowTest({ days, start, end }: TariffWindow): (weekMinute: number) => boolean {
  const from = minuteOfDay(start);
  const to = minuteOfDay(end);
  const isOn = (day: number, minute: number): boolean => {
    if (from < to) return days.includes(day) && minute >= from && minute < to;
    return (minute >= from && days.includes(day)) || (minute < to && days.includes(day === 1 ? 7 : day - 1));
  };
  return (weekMinute) => isOn(Math.floor(weekMinute / MINUTES_PER_DAY) + 1, weekMinute % MINUTES_PER_DAY);
}

function minuteOfDay(time: string): number {
  const [hours = '', minutes = ''] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}
