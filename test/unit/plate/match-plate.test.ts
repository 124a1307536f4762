import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { differsByLetter, foldPlate, looksAlike, matchExit } from '../../../shared/plate/match-plate.js';

const plates = fc.stringMatching(/^[A-Z0-9]{4,9}$/);

function sessionsOf(...plateTexts: string[]) {
  return plateTexts.map((plate, index) => ({ plate, fold: foldPlate(plate), began_ms: index }));
}

describe('differsByLetter', () => {
  it.each([
    ['RI220AB', 'RI220A8', true],
    ['RI220AB', 'RI220AC', true],
    ['RI220AB', 'RI220B', true],
    ['RI220AB', 'RI22OAB', true],
    // Two vehicles of a fleet.
    ['RI220AB', 'RI221AB', false],
    ['RI220AB', 'RI2201AB', false],
    ['RI220AB', 'RI220CD', false],
  ])('%s and %s: %s', (a, b, isOne) => {
    expect([differsByLetter(a, b), differsByLetter(b, a)]).toEqual([isOne, isOne]);
  });
});

describe('looksAlike', () => {
  it.each([
    ['ZG100AB', 'ZGIOQAB'],
    ['O0QD', '0000'],
    ['I1L', '111'],
    ['B8S5Z2G6', '88552266'],
    // Cyrillic AB, Greek AB.
    ['AB123', '\u0410\u0412123'],
    ['AB123', '\u0391\u0392123'],
    ['ZG1234AB', 'ZG1234A'],
    ['ZG1234AB', 'ZG1Z34AB'],
    ['ZG1234AB', 'ZG12334AB'],
    ['ZG1234AB', 'ZG1234AB'],
  ])('%s and %s', (a, b) => {
    expect(looksAlike(a, b)).toBe(true);
    expect(looksAlike(b, a)).toBe(true);
  });

  it.each([
    ['ZG1234AB', 'ZG1234'],
    ['ZG1234AB', 'ZG2134AB'],
    ['ZG1234AB', 'ST9876CD'],
    ['ZG10AB', 'ZGI0AC'],
  ])('not %s and %s', (a, b) => {
    expect(looksAlike(a, b)).toBe(false);
  });

  it('finds every single edit, in both orders', () => {
    fc.assert(
      fc.property(plates, fc.nat(), fc.stringMatching(/^[A-Z0-9]$/), (plate, seed, character) => {
        const at = seed % plate.length;
        for (const edited of [
          plate.slice(0, at) + plate.slice(at + 1),
          plate.slice(0, at) + character + plate.slice(at + 1),
          plate.slice(0, at) + character + plate.slice(at),
        ]) {
          expect(looksAlike(plate, edited)).toBe(true);
          expect(looksAlike(edited, plate)).toBe(true);
        }
      }),
    );
  });
});

describe('matchExit', () => {
  it('prefers an exact match to any look-alike, and of several the newest', () => {
    const sessions = sessionsOf('ZG100AB', 'ZG1O0AB', 'ZG100AB');
    expect(matchExit('ZG100AB', sessions)).toEqual({ kind: 'exact', session: sessions[2] });
  });

  it('takes a look-alike only when exactly one fits', () => {
    const [one, other] = sessionsOf('ZG1O0AB', 'ST55');
    expect(matchExit('ZG100AB', [one!, other!])).toEqual({ kind: 'look_alike', session: one });
    expect(matchExit('ZG100AB', sessionsOf('ZG1O0AB', 'ZG100A'))).toBeNull();
    expect(matchExit('ZG100AB', [])).toBeNull();
    expect(matchExit('Z', sessionsOf(''))).toBeNull();
  });

  it('agrees with looksAlike for every plate', () => {
    fc.assert(
      fc.property(plates, fc.uniqueArray(plates, { maxLength: 10 }), (plate, others) => {
        const fitting = others.filter((other) => other !== plate && looksAlike(plate, other));
        const match = matchExit(plate, sessionsOf(...others));
        if (others.includes(plate)) expect(match).toMatchObject({ kind: 'exact', session: { plate } });
        else if (fitting.length === 1)
          expect(match).toMatchObject({ kind: 'look_alike', session: { plate: fitting[0] } });
        else expect(match).toBeNull();
      }),
    );
  });
});
