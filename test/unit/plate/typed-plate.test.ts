import { describe, expect, it } from 'vitest';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { judgePlate, PLATE_SIGNS_MAX, platesIn } from '../../../shared/plate/typed-plate.js';
import * as fc from '../../property.js';
import { NO_PLATES, PLATES } from './typed-plates.js';

describe('a plate that somebody types', () => {
  it.each(PLATES)('%s: %j is one, as it is written', (_, text) => {
    expect(judgePlate(` ${text} `)).toEqual({ plate: text, fault: null });
  });

  it.each(NO_PLATES)('%s: %j is none', (_, text, kind) => {
    expect(judgePlate(text)).toMatchObject({ plate: null, fault: { kind } });
  });

  it('is none of blanks alone', () => {
    for (const text of ['', ' ', '\n', '\u3000']) expect(judgePlate(text).fault).toEqual({ kind: 'empty' });
  });

  it('names the character that no plate has', () => {
    expect(judgePlate('ZG_1').fault).toEqual({ kind: 'sign', sign: '_' });
    expect(judgePlate('ZG1-').fault).toEqual({ kind: 'sign', sign: '-' });
    expect(judgePlate('🚗').fault).toEqual({ kind: 'sign', sign: '🚗' });
  });

  it('has at most fifteen letters and digits between which nothing but blanks, dashes and dots stand, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.anyCharacter, maxLength: 80 }), (text) => {
        const { plate } = judgePlate(text);
        if (plate === null) return;
        const signs = [...normalisePlate(plate)].length;
        expect(signs > 0 && signs <= PLATE_SIGNS_MAX).toBe(true);
        expect(plate.normalize('NFKC')).not.toMatch(/[^\p{L}\p{Nd}\p{M}\p{Zs}.·-]/u);
      }),
    );
  });
});

describe('several plates in one text', () => {
  it.each([
    ['ZG1234AB, ST55CD', ['ZG1234AB', 'ST55CD']],
    ['ZG 1234 AB\nST 55 CD\r\nRI 1 A', ['ZG 1234 AB', 'ST 55 CD', 'RI 1 A']],
    ['ZG1234AB ST5678CD', ['ZG1234AB', 'ST5678CD']],
    ['ZG 123-A ST 456-B', ['ZG 123-A', 'ST 456-B']],
    ['ZG1234AB', ['ZG1234AB']],
    ['', []],
    ['---', ['---']],
    ['01/03/2024', ['01/03/2024']],
  ])('%j', (text, plates) => {
    expect(platesIn(text)).toEqual(plates);
  });

  it('are not looked for without end', () => {
    expect(judgePlate(Array.from({ length: 5_000 }, () => 'ZG1234AB').join(' ')).fault?.kind).toBe('tooLong');
  });
});
