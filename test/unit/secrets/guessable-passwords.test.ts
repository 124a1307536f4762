import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { isDatedWord } from '../../../cloud/kernel/secrets/dated-words.js';
import { isCommonPassword } from '../../../cloud/kernel/secrets/guessable-passwords.js';

describe('a password that is guessed first', () => {
  it.each([
    'Summer2026!',
    'Sommer2026!',
    'Ljeto2026!',
    'winter-2025',
    'WINTER_2025',
    '2026Autumn!',
    'Summ3r2026!',
    '$umm3r-2026',
    'Spring 2026',
    'Frühling2026',
    'Fruehling2026',
    'Herbst/2026',
    "Herbst '26!",
    'Proljeće2026',
    'Jesen.2026.',
    'January2026!',
    'März-2026!',
    'Siječanj2026',
    'svibnja2026',
    'M0nt@g2026',
    'Friday0107!',
    'Ponedjeljak1',
    'Četvrtak26!',
    'Passwort2026!',
    'Lozinka2026!',
    'Welcome2026!',
    'Parking2026!',
    'SummerWinter2026',
    'Summer2026Summer2026Summer2026Summer2026Summer2026Summer2026',
    'xSummer2026!',
  ])('is %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    'long pass phrase',
    'another phrase',
    'seven gulls at noon',
    'a phrase of Nina',
    'correct horse battery',
    'summer gulls at noon 2026',
    'in May the harbour sleeps',
    'monday tariff winter lemon',
    'March hares dance 7',
    'Sommer738291Kq',
    'kW7!summer-Tz2026',
  ])('is not %s', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });

  it('is of the names of whose it is, and a year', () => {
    const names = ['olga.keller@harbour-parking.example', 'Olga Keller', 'Čamac d.o.o.'];
    for (const password of [
      'Harbour2026!',
      'H@rbour-2026',
      'OlgaKeller1',
      'keller2026!!',
      'camac2026!',
      'Čamac 2026',
    ]) {
      expect([password, isDatedWord(password, names), isDatedWord(password, [])]).toEqual([password, true, false]);
    }
    for (const password of ['harbour seals sleep', 'Olga likes figs', 'long pass phrase', '2026202620']) {
      expect([password, isDatedWord(password, names)]).toEqual([password, false]);
    }
  });

  it('is never a phrase of other words', () => {
    const other = fc.stringMatching(/^[cdhkqvwx]{4,12}$/);
    fc.assert(
      fc.property(other, other, other, (one, two, three) => {
        fc.pre(new Set([one, two, three].join('')).size > 3);
        expect(isDatedWord(`${one} ${two} ${three} 2026`, ['harbour@example.org'])).toBe(false);
      }),
    );
  });

  it.each([
    ['words', 'summer2026'.repeat(102)],
    ['beginnings of words', 'septembesummejanuar'.repeat(53)],
    ['signs that are letters or not', '$5@4!1|0'.repeat(128)],
    ['characters that fold to many', 'ﷺ'.repeat(1_024)],
    ['accents', `s${'\u0301'.repeat(1_023)}`],
  ])('is judged in bounded time, though it is long and of %s', (_what, password) => {
    isCommonPassword('the first one loads the words');
    const names = [Array.from({ length: 60 }, (_, index) => `aaa${'b'.repeat(index % 3)}`).join(' ')];
    const startedMs = performance.now();
    isDatedWord(password, names);
    expect(performance.now() - startedMs).toBeLessThan(200);
  });
});
