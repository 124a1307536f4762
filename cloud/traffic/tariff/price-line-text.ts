/**
 * The words of a price's lines, in English as all texts of the service. A console that speaks another language reads them back
 * (`parseLineText`) and says them in its own.
 */
import { currencyDigits } from '../../../shared/currencies.js';

/** The facts in the text of a line. Prices are in the major unit. */
export type LineText =
  | {
      kind: 'steps';
      count: number;
      step_minutes: number;
      price: number;
      currency: string;
      /** Of the window that gives the price: 1 is Monday; null: every day, or no window. */
      days: readonly number[] | null;
      /** HH:MM; null: the whole day, or no window. */
      hours: { start: string; end: string } | null;
    }
  /** At most so much for each 24 h. */
  | { kind: 'daily_max'; count: number; price: number; currency: string }
  | { kind: 'weeks_alike'; count: number }
  /** More than a person reads line by line. */
  | { kind: 'rest' }
  /** The free minutes of the tariff. */
  | { kind: 'free'; minutes: number }
  /** Free minutes that somebody granted; null: the whole stay. */
  | { kind: 'granted'; minutes: number | null }
  /** A stay that ended before its lines were kept. */
  | { kind: 'whole' };

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const UNITS = [
  ['d', 1_440],
  ['h', 60],
  ['min', 1],
] as const;

/** `3 × 1 h at 2.50 EUR (Sat Sun 22:00–06:00)`, `2 × at most 12.00 EUR in 24 h`, `30 min granted free` */
export function lineText(line: LineText): string {
  switch (line.kind) {
    case 'steps': {
      const { days, hours } = line;
      const when = [
        ...(days === null ? [] : days.map((day) => DAYS[day - 1] ?? '')),
        ...(hours === null ? [] : [`${hours.start}–${hours.end}`]),
      ].join(' ');
      return `${line.count} × ${lengthText(line.step_minutes)} at ${moneyText(line)}${when === '' ? '' : ` (${when})`}`;
    }
    case 'daily_max':
      return `${line.count} × at most ${moneyText(line)} in 24 h`;
    case 'weeks_alike':
      return `${line.count} × a week like the one before`;
    case 'rest':
      return 'The rest of the stay';
    case 'free':
      return `Free up to ${lengthText(line.minutes)}`;
    case 'granted':
      return line.minutes === null ? 'The whole stay granted free' : `${lengthText(line.minutes)} granted free`;
    case 'whole':
      return 'The stay as it was priced when it ended';
  }
}

const LENGTH = String.raw`(\d+) (d|h|min)`;
const MONEY = String.raw`(\d+(?:\.\d+)?) ([A-Z]{3})`;
const WHEN = String.raw`(?: \(((?:[A-Z][a-z]{2} ?)*)(?:(\d\d:\d\d)–(\d\d:\d\d))?\))?`;

/** How each kind of line is read, by the pattern of its text. */
const PATTERNS: readonly (readonly [RegExp, (found: readonly (string | undefined)[]) => LineText])[] = [
  [
    new RegExp(`^(\\d+) × ${LENGTH} at ${MONEY}${WHEN}$`),
    ([, count, length, unit, price, currency = '', days = '', start, end]) => ({
      kind: 'steps',
      count: Number(count),
      step_minutes: minutesOf(length, unit),
      price: Number(price),
      currency,
      days:
        days === ''
          ? null
          : days
              .trim()
              .split(' ')
              .map((day) => DAYS.indexOf(day) + 1),
      hours: start === undefined || end === undefined ? null : { start, end },
    }),
  ],
  [
    new RegExp(`^(\\d+) × at most ${MONEY} in 24 h$`),
    ([, count, price, currency = '']) => ({ kind: 'daily_max', count: Number(count), price: Number(price), currency }),
  ],
  [/^(\d+) × a week like the one before$/, ([, count]) => ({ kind: 'weeks_alike', count: Number(count) })],
  [/^The rest of the stay$/, () => ({ kind: 'rest' })],
  [new RegExp(`^Free up to ${LENGTH}$`), ([, length, unit]) => ({ kind: 'free', minutes: minutesOf(length, unit) })],
  [/^The whole stay granted free$/, () => ({ kind: 'granted', minutes: null })],
  [
    new RegExp(`^${LENGTH} granted free$`),
    ([, length, unit]) => ({ kind: 'granted', minutes: minutesOf(length, unit) }),
  ],
  [/^The stay as it was priced when it ended$/, () => ({ kind: 'whole' })],
];

/** Reads a text of `lineText`; null for any other: a newer service may say more. */
export function parseLineText(text: string): LineText | null {
  for (const [pattern, read] of PATTERNS) {
    const found = pattern.exec(text);
    if (found !== null) return read(found);
  }
  return null;
}

const moneyText = ({ price, currency }: { price: number; currency: string }): string =>
  `${price.toFixed(currencyDigits(currency))} ${currency}`;

function lengthText(minutes: number): string {
  const [unit, long] = UNITS.find(([, each]) => minutes > 0 && minutes % each === 0) ?? ['min', 1];
  return `${minutes / long} ${unit}`;
}

const minutesOf = (length: string | undefined, unit: string | undefined): number =>
  Number(length) * (UNITS.find(([name]) => name === unit)?.[1] ?? 1);
