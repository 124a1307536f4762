/** The lines of prices, and names of files, as people read them. */
import { describe, expect, it } from 'vitest';
import { CONSOLE_WORDS as de } from '../../../cloud/console/wording/de.js';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { fileName } from '../../../cloud/console/wording/file-name.js';
import { CONSOLE_WORDS as hr } from '../../../cloud/console/wording/hr.js';
import { CONSOLE_WORDS as hu } from '../../../cloud/console/wording/hu.js';
import { priceLineWords } from '../../../cloud/console/wording/line-words.js';
import { taxWithin } from '../../../cloud/traffic/tariff/tax-within.js';
import { localTimeText, utcOffsetText } from '../../../shared/local-time-text.js';

const formats = {
  money: (amount: number, currency: string) => `${amount.toFixed(2)} ${currency}`,
  weekday: (day: number) => `day ${day}`,
};

describe('a line of a price', () => {
  it.each([
    [
      '3 × 1 h at 2.50 EUR (Sat Sun 22:00–06:00)',
      '3 × 1 h at 2.50 EUR (day 6 day 7 22:00–06:00)',
      '3 × 1 Std. zu 2.50 EUR (day 6 day 7 22:00–06:00)',
      '3 × 1 h po 2.50 EUR (day 6 day 7 22:00–06:00)',
      '3 × 1 óra, egyenként 2.50 EUR (day 6 day 7 22:00–06:00)',
    ],
    [
      '1 × 90 min at 1.00 EUR',
      '1 × 1 h 30 min at 1.00 EUR',
      '1 × 1 Std. 30 Min. zu 1.00 EUR',
      '1 × 1 h 30 min po 1.00 EUR',
      '1 × 1 óra 30 perc, egyenként 1.00 EUR',
    ],
    [
      '2 × at most 12.00 EUR in 24 h',
      '2 × at most 12.00 EUR in 24 h',
      '2 × höchstens 12.00 EUR in 24 h',
      '2 × najviše 12.00 EUR u 24 h',
      '2 × legfeljebb 12.00 EUR 24 óra alatt',
    ],
    [
      '3 × a week like the one before',
      '3 × a week like the one before',
      '3 × eine Woche wie die davor',
      '3 × tjedan kao prethodni',
      '3 × az előzővel azonos hét',
    ],
    ['Free up to 15 min', 'Free up to 15 min', 'Frei bis 15 Min.', 'Besplatno do 15 min', 'Ingyenes eddig: 15 perc'],
    [
      '30 min granted free',
      '30 min granted free',
      '30 Min. frei gewährt',
      'Odobreno besplatno: 30 min',
      'Ingyen adva: 30 perc',
    ],
    [
      'A voucher of 2.00 EUR',
      'A voucher of 2.00 EUR',
      'A voucher of 2.00 EUR',
      'A voucher of 2.00 EUR',
      'A voucher of 2.00 EUR',
    ],
  ])('%s is said in each language', (text, ...said) => {
    expect([en, de, hr, hu].map((words) => priceLineWords(text, formats, words))).toEqual(said);
  });
});

describe('a file', () => {
  it('is named for what it is about', () => {
    expect(fileName(['sessions', 'Harbour / North', '2026-11-01', ''], 'csv')).toBe(
      'sessions-Harbour-North-2026-11-01.csv',
    );
    expect(fileName(['plaćanja', null, undefined, '../Žaba'], 'csv')).toBe('plaćanja-Žaba.csv');
    expect(fileName(['sessions', '', '', ''], 'csv')).toBe('sessions.csv');
  });

  it('has the times of the lot, through both changes of the clocks', () => {
    const shown = (iso: string, timezone = 'Europe/Zagreb') => [
      localTimeText(Date.parse(iso), timezone),
      utcOffsetText(Date.parse(iso), timezone),
    ];
    expect(shown('2026-10-25T00:30:00Z')).toEqual(['2026-10-25 02:30:00', 'UTC+02:00']);
    expect(shown('2026-10-25T01:30:00Z')).toEqual(['2026-10-25 02:30:00', 'UTC+01:00']);
    expect(shown('2026-03-29T01:00:00Z')).toEqual(['2026-03-29 03:00:00', 'UTC+02:00']);
    expect(shown('2026-01-01T00:00:00Z', 'America/St_Johns')).toEqual(['2025-12-31 20:30:00', 'UTC-03:30']);
  });
});

describe('the tax in an amount', () => {
  it.each([
    [1_000, '25', 200],
    [-250, '25', -50],
    [1, '25', 0],
    [450, '13', 52],
    [100, '5.5', 5],
    [100, '0', 0],
    [100, '', null],
  ])('is, of %d at %j %%, %j', (amount, vat, tax) => {
    expect(taxWithin(amount, vat)).toBe(tax);
  });
});
