/** The lines of a price: they are the price, whatever the tariff and the stay. */
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type LineText, lineText, parseLineText } from '../../../cloud/traffic/tariff/price-line-text.js';
import { PRICE_LINES_MAX, priceLinesBy } from '../../../cloud/traffic/tariff/price-lines.js';
import type { Tariff, TariffWindow } from '../../../cloud/traffic/tariff/price-stay.js';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../shared/durations.js';
import { runs } from '../../depth.js';
import { anyStay, anyTariff, longStay, roundTariff } from './any-stay.js';
import { countedPrice, type PlacedStay } from './counted-price.js';

const HOUR = 60;
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
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const window = (changed: Partial<TariffWindow> = {}): TariffWindow => ({
  days: EVERY_DAY,
  start: '20:00',
  end: '06:00',
  price: 50,
  step_minutes: 60,
  ...changed,
});
const linesOf = (priced: Tariff, { timezone, ...stay }: PlacedStay) =>
  priceLinesBy({ ...priced, currency: 'EUR' }, timezone)(stay);
const stay = (count: number, discount_minutes: number | null = null): PlacedStay => ({
  began_ms: NOON,
  ended_ms: NOON + count * MINUTE_MS,
  discount_minutes,
  timezone: 'UTC',
});
/** `from` and `to` in minutes of the stay, amount, text. */
const shown = (priced: Tariff, of: PlacedStay) =>
  linesOf(priced, of).map(({ from_ms, to_ms, amount_minor, text }) => [
    (from_ms - of.began_ms) / MINUTE_MS,
    (to_ms - of.began_ms) / MINUTE_MS,
    amount_minor,
    text,
  ]);

describe('the lines of a price', () => {
  it.each<[string, Tariff, PlacedStay, unknown[]]>([
    ['no time', tariff(), stay(0), []],
    ['the free minutes of the tariff', tariff(), stay(8), [[0, 8, 0, 'Free up to 10 min']]],
    ['started steps', tariff(), stay(130), [[0, 130, 450, '3 × 1 h at 1.50 EUR']]],
    [
      'granted minutes, at the end',
      tariff(),
      stay(130, 30),
      [
        [0, 100, 300, '2 × 1 h at 1.50 EUR'],
        [100, 130, 0, '30 min granted free'],
      ],
    ],
    [
      'granted minutes that leave only free ones',
      tariff(),
      stay(130, 125),
      [
        [0, 5, 0, 'Free up to 10 min'],
        [5, 130, 0, '125 min granted free'],
      ],
    ],
    ['more granted than was stayed', tariff(), stay(130, 240), [[0, 130, 0, '4 h granted free']]],
    ['a whole stay that was granted', tariff(), stay(130, -1), [[0, 130, 0, 'The whole stay granted free']]],
    [
      'days at the most that they cost, and the hours of the last one',
      tariff(),
      stay(2 * 24 * HOUR + 60),
      [
        [0, 2 * 24 * HOUR, 2_400, '2 × at most 12.00 EUR in 24 h'],
        [2 * 24 * HOUR, 2 * 24 * HOUR + 60, 150, '1 × 1 h at 1.50 EUR'],
      ],
    ],
    [
      'hours of the night',
      tariff({ daily_max_minor: null, windows: [window({ step_minutes: 120, days: [4] })] }),
      stay(20 * HOUR),
      [
        [0, 480, 1_200, '8 × 1 h at 1.50 EUR'],
        [480, 1_080, 250, '5 × 2 h at 0.50 EUR (Thu 20:00–06:00)'],
        [1_080, 1_200, 300, '2 × 1 h at 1.50 EUR'],
      ],
    ],
    [
      'whole days of their own',
      tariff({ windows: [window({ start: '00:00', end: '00:00', days: [4, 5] })] }),
      stay(90),
      [[0, 90, 100, '2 × 1 h at 0.50 EUR (Thu Fri)']],
    ],
    [
      'weeks of one price',
      tariff({ daily_max_minor: null }),
      stay(30 * 24 * HOUR),
      [[0, 30 * 24 * HOUR, 30 * 24 * 150, '720 × 1 h at 1.50 EUR']],
    ],
    [
      'weeks of the most for each day',
      tariff(),
      stay(30 * 24 * HOUR),
      [[0, 30 * 24 * HOUR, 30 * 1_200, '30 × at most 12.00 EUR in 24 h']],
    ],
  ])('say %s', (_name, priced, of, expected) => {
    expect(shown(priced, of)).toEqual(expected);
  });

  it('say weeks that are alike once, and the rest together where there is more than a person reads', () => {
    const nights = tariff({ daily_max_minor: null, windows: [window()] });
    const texts = (priced: Tariff, days: number) => linesOf(priced, stay(days * 24 * HOUR)).map(({ text }) => text);
    expect(texts(nights, 29).slice(-5)).toEqual([
      '6 × 1 h at 1.50 EUR',
      '2 × a week like the one before',
      '8 × 1 h at 1.50 EUR',
      '10 × 1 h at 0.50 EUR (20:00–06:00)',
      '6 × 1 h at 1.50 EUR',
    ]);
    const odd = texts({ ...nights, step_minutes: 7 }, 300);
    expect(odd).toHaveLength(PRICE_LINES_MAX);
    expect(odd.at(-1)).toBe('The rest of the stay');
  });

  it.each([
    ['of days, also when the clocks change', anyTariff, anyStay],
    ['of weeks, with both changes of the clocks', roundTariff, longStay],
  ])('sum up to the price, and follow each other through the whole stay: %s', (_name, tariffs, stays) => {
    fc.assert(
      fc.property(tariffs, stays, (priced, of) => {
        const lines = linesOf(priced, of);
        expect(lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0)).toBe(countedPrice(priced, of));
        const edges = [of.began_ms, ...lines.map(({ to_ms }) => to_ms)];
        expect(lines.map(({ from_ms }) => from_ms)).toEqual(edges.slice(0, -1));
        for (const { from_ms, to_ms } of lines) expect(to_ms).toBeGreaterThan(from_ms);
        const lasted_ms = Math.floor((of.ended_ms - of.began_ms) / SECOND_MS) * SECOND_MS;
        expect((edges.at(-1) ?? 0) - of.began_ms).toBe(lasted_ms);
        expect(lines.length).toBeLessThanOrEqual(PRICE_LINES_MAX + 2);
        for (const { text, amount_minor } of lines) {
          expect(amount_minor).toBeGreaterThanOrEqual(0);
          expect(lineText(parseLineText(text) ?? { kind: 'whole' })).toBe(text);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('are as few for a century', () => {
    const century = { ...stay(0), ended_ms: NOON + 36_525 * DAY_MS, timezone: 'Europe/Zagreb' };
    const lines = linesOf(tariff({ windows: [window()] }), century);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.amount_minor).toBe(36_525 * 1_200);
  });
});

describe('the text of a line', () => {
  const count = fc.integer({ min: 1, max: 10_000 });
  const minutes = fc.integer({ min: 1, max: 525_600 });
  const money = fc.constantFrom(
    { price: 2.5, currency: 'EUR' },
    { price: 0, currency: 'EUR' },
    { price: 400, currency: 'JPY' },
    { price: 1.005, currency: 'KWD' },
  );
  const hours = fc.option(fc.constantFrom({ start: '22:00', end: '06:00' }, { start: '08:30', end: '08:30' }));
  const days = fc.option(fc.subarray(EVERY_DAY, { minLength: 1, maxLength: 6 }));
  const anyLine: fc.Arbitrary<LineText> = fc.oneof(
    fc
      .record({ count, step_minutes: minutes, of: money, days, hours })
      .map(({ of, ...line }) => ({ kind: 'steps' as const, ...line, ...of })),
    fc.record({ count, of: money }).map(({ of, ...line }) => ({ kind: 'daily_max' as const, ...line, ...of })),
    count.map((each) => ({ kind: 'weeks_alike' as const, count: each })),
    minutes.map((each) => ({ kind: 'free' as const, minutes: each })),
    fc.option(minutes).map((each) => ({ kind: 'granted' as const, minutes: each })),
    fc.constantFrom<LineText>({ kind: 'rest' }, { kind: 'whole' }),
  );

  it('is read back as it was said', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        expect(parseLineText(lineText(line))).toEqual(line);
      }),
    );
  });

  it.each(['', 'A voucher of 2.00 EUR', '2 × 1 h', ' The rest of the stay'])('%j is none', (text) => {
    expect(parseLineText(text)).toBe(null);
  });
});
