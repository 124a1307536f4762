import { describe, expect, it } from 'vitest';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import {
  checkTariff,
  checkDiscount,
  faultsOfRefusal,
  numberIn,
  overpaidBy,
  paymentFaults,
  type TariffForm,
} from '../../../cloud/console/wording/money-checks.js';
import {
  curveMinutes,
  exampleHours,
  instantOf,
  lastOfSteps,
  mondayMorning,
  priceOfMinutes,
} from '../../../cloud/console/wording/tariff-prices.js';

const form: TariffForm = {
  name: 'Public',
  currency: 'eur',
  vat: '25',
  free_minutes: '10',
  price: '1,50',
  step_minutes: '60',
  daily_max: '12',
  windows: [{ days: ['7', '6'], start: '20:00', end: '06:00', price: '0.50', step_minutes: '' }],
};
const faults = (changed: Partial<TariffForm>) => checkTariff({ ...form, ...changed }, en).faults;

describe('a form of money', () => {
  it('takes numbers as people type them', () => {
    expect(['1,50', ' 1.5 ', '-2', '0', '', '1.2.3', '1e9', 'x', '٣'].map(numberIn)).toEqual([
      1.5,
      1.5,
      -2,
      0,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('says what is wrong with a payment, at its field', () => {
    const about = { currency: 'EUR', paid: 5, isRefund: false, format: (amount: number) => `${amount} €` };
    const of = (amount: string, more = {}) =>
      paymentFaults({ amount, reference: '', reason: '' }, { ...about, ...more }, en).amount;
    expect(of('4.50')).toBeUndefined();
    expect(of('')).toBe('Please fill in this field.');
    expect([of('x'), of('0'), of('-1')]).toEqual(Array(3).fill('An amount above 0, such as 4.50.'));
    expect(of('1.005')).toBe('EUR has 2 decimals.');
    expect(of('1.5', { currency: 'JPY' })).toBe('JPY has no decimals.');
    expect(of('2000000')).toBe('At most 1000000 € at once.');
    expect(of('6', { isRefund: true })).toBe('At most 5 € can be given back: that is what was paid.');
    const long = 'x'.repeat(256);
    const tooLong = 'At most 255 characters.';
    expect(paymentFaults({ amount: '1', reference: long, reason: long }, about, en)).toEqual({
      reference: tooLong,
      reason: tooLong,
    });
    const refund = { ...about, isRefund: true };
    expect(paymentFaults({ amount: '1', reference: '', reason: ' ' }, refund, en)).toEqual({
      reason: 'Say why the money is given back.',
    });
    expect(paymentFaults({ amount: '1', reference: '', reason: 'lost ticket' }, refund, en)).toEqual({});
  });

  it.each([
    [4.5, 4.5, 'EUR', 0],
    [4, 4.5, 'EUR', 0],
    [8, 4.5, 'EUR', 3.5],
    [0.3, 0.1, 'EUR', 0.2],
    [500, 400, 'JPY', 100],
  ])('knows that %d of %d %s is %d too much', (amount, amount_due, currency, expected) => {
    expect(overpaidBy(amount, { amount_due, currency })).toBe(expected);
  });

  it('sends a tariff as the service takes it', () => {
    expect(checkTariff(form, en)).toEqual({
      faults: {},
      body: {
        name: 'Public',
        currency: 'EUR',
        vat: '25',
        free_minutes: 10,
        price: 1.5,
        step_minutes: 60,
        daily_max: 12,
        windows: [{ days: [6, 7], start: '20:00', end: '06:00', price: 0.5, step_minutes: 60 }],
      },
    });
  });

  it('says what is wrong with a tariff, at the names of the service', () => {
    const missing = en.signIn.missing;
    const empty = { name: ' ', currency: '', price: '', step_minutes: '', free_minutes: '' };
    expect(faults(empty)).toEqual({
      name: missing,
      currency: en.tariffs.wrongCurrency,
      price: missing,
      step_minutes: missing,
      free_minutes: missing,
    });
    expect(faults({ price: '-1', step_minutes: '0', free_minutes: '1.5', vat: '100', daily_max: 'much' })).toEqual({
      price: en.tariffs.wrongPrice,
      step_minutes: en.tariffs.wrongMinutes(1, 525_600),
      free_minutes: en.tariffs.wrongMinutes(0, 525_600),
      vat: en.tariffs.wrongVat,
      daily_max: en.tariffs.wrongPrice,
    });
    expect(faults({ currency: 'XYZ' })).toEqual({ currency: en.tariffs.wrongCurrency });
    expect(faults({ currency: 'JPY', windows: [] })).toEqual({ price: 'JPY has no decimals.' });
    expect(faults({ windows: [{ days: [], start: '7:30', end: '', price: '', step_minutes: '0' }] })).toEqual({
      'windows.0.days': en.tariffs.noDay,
      'windows.0.start': en.tariffs.wrongTime,
      'windows.0.end': en.tariffs.wrongTime,
      'windows.0.price': missing,
      'windows.0.step_minutes': en.tariffs.wrongMinutes(1, 525_600),
    });
    expect(checkTariff({ ...form, name: '' }, en).body).toBeNull();
  });

  it('puts what the service refuses at the same names', () => {
    const errors = [
      { code: 23, message: 'is taken', field: 'name' },
      { code: 23, message: 'No' },
    ];
    expect(faultsOfRefusal({ status: 422, errors }, en)).toEqual({ name: 'is taken' });
    expect(faultsOfRefusal(null, en)).toEqual({});
  });

  it('keeps its free minutes, of which nothing that is no number takes any away', () => {
    expect(checkDiscount(' 30 ', null, en)).toEqual({ discount_time: 30 });
    expect(checkDiscount('0', 30, en)).toEqual({ discount_time: 0 });
    expect(checkDiscount('-1', null, en)).toEqual({ discount_time: -1 });
    for (const wrong of ['abc', '30 min', '-2', '1.5', '1e3', '52704001'])
      expect(checkDiscount(wrong, 30, en).fault, wrong).toBe('Enter whole minutes, such as 30.');
    expect(checkDiscount('', 30, en)).toEqual({ discount_time: null });
    expect(checkDiscount('', null, en).fault).toBe('Please fill in this field.');
  });
});

describe('the curve of a tariff', () => {
  const body = { ...form, currency: 'EUR', free_minutes: 10, price: 1.5, step_minutes: 60, daily_max: 12, windows: [] };
  const price = priceOfMinutes(body, 'Europe/Zagreb', Date.parse('2026-11-23T07:00:00Z'));

  it('is what the cloud bills', () => {
    expect([0, 10, 11, 60, 61, 600, 1_440, 1_441].map(price)).toEqual([0, 0, 1.5, 1.5, 3, 12, 12, 13.5]);
  });

  it('has each minute of a day, and for longer times fewer points', () => {
    expect(curveMinutes(1_440)).toHaveLength(1_441);
    expect(curveMinutes(10_080).length).toBeLessThanOrEqual(2_017);
    const minutes = curveMinutes(240);
    expect(lastOfSteps(minutes.map(price)).map((at) => minutes[at])).toEqual([10, 60, 120, 180, 240]);
  });

  it('has a night and a Saturday beside it, also when the clocks change', () => {
    const shown = (day: string) =>
      Object.values(exampleHours(day, 'Europe/Zagreb')).map((stay) =>
        stay === null ? null : [stay.began_ms, stay.ended_ms].map((ms) => new Date(ms).toISOString().slice(5, 16)),
      );
    expect(shown('2026-11-23')).toEqual([
      ['11-23T19:00', '11-24T06:00'],
      ['11-28T09:00', '11-28T17:00'],
    ]);
    // A Saturday before the clocks go back: that night is an hour longer.
    expect(shown('2026-10-24')).toEqual([
      ['10-24T18:00', '10-25T06:00'],
      ['10-24T08:00', '10-24T16:00'],
    ]);
    expect(shown('')).toEqual([null, null]);
  });

  it('begins when the clocks of the lot show it', () => {
    expect(instantOf('2026-11-23T08:00', 'Europe/Zagreb')).toBe(Date.parse('2026-11-23T07:00:00Z'));
    expect(instantOf('2026-07-01T08:00', 'Europe/Zagreb')).toBe(Date.parse('2026-07-01T06:00:00Z'));
    expect(instantOf('2026-10-25T02:30', 'Europe/Zagreb')).toBe(Date.parse('2026-10-25T00:30:00Z'));
    expect(instantOf('2026-03-29T08:00', 'America/New_York')).toBe(Date.parse('2026-03-29T12:00:00Z'));
    for (const bad of ['', 'now', '2026-11-23', '2026-13-23T08:00']) expect(instantOf(bad, 'UTC')).toBeNull();
    expect(mondayMorning(Date.parse('2026-11-29T23:59:00Z'))).toBe('2026-11-23T08:00');
    expect(mondayMorning(Date.parse('2026-11-23T00:00:00Z'))).toBe('2026-11-23T08:00');
  });
});
