import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decidePlate } from '../../../agent/lpr/reads/decide-plate.js';
import { runs } from '../../depth.js';

const NOBODY = { min_confidence: 0, isKnown: () => false };

function read(raw_plate: string, candidates: [string, number | null][] = [], country_code: string | null = 'HR') {
  const others = candidates.map(([text, confidence]) => ({ raw_plate: text, confidence }));
  return { raw_plate, confidence: 0.9, country_code, candidates: others };
}

const chosen = (...args: Parameters<typeof read>) => decidePlate(read(...args), NOBODY)?.plate;

describe('the plate that a read is of', () => {
  it.each<[string, Parameters<typeof read>, string | undefined]>([
    ['the camera’s own choice', ['zg 1234-ab'], 'ZG 1234-AB'],
    ['it also where a candidate is surer', ['ZG1234AB', [['ZG1234A8', 0.99]]], 'ZG1234AB'],
    ['a look-alike that has the form of the country', ['ZG1234A8', [['ZG1234AB', 0.2]]], 'ZG1234AB'],
    [
      'the surest look-alike of the form',
      [
        '2G1234A8',
        [
          ['ZG1234AB', 0.2],
          ['2G1234AB', 0.9],
        ],
      ],
      'ZG1234AB',
    ],
    ['another candidate of the form that is nearly as sure', ['ZG12X4AB', [['ZG1274AB', 0.85]]], 'ZG1274AB'],
    ['not one that is far less sure', ['ZG12X4AB', [['ZG1274AB', 0.5]]], 'ZG12X4AB'],
    ['not one of which nobody says how sure it is', ['ZG12X4AB', [['ZG1274AB', null]]], 'ZG12X4AB'],
    ['not one in another form that does not fit either', ['ZG1234A8', [['ZG12B4A8', 0.9]]], 'ZG1234A8'],
    ['whatever form it has, without candidates', ['PAROTOC5'], 'PAROTOC5'],
    ['its own choice where the country is not known', ['ZG1234A8', [['ZG1234AB', 0.9]], null], 'ZG1234A8'],
    ['its own choice where no form of the country is known', ['ZG1234A8', [['ZG1234AB', 0.9]], 'NZ'], 'ZG1234A8'],
    [
      'the surest candidate where it could not choose',
      [
        'unknown',
        [
          ['ZG1', 0.3],
          ['ZG2', 0.6],
          ['-', 0.9],
        ],
      ],
      'ZG2',
    ],
    ['none where nothing is usable', ['noPlate', [['-', 0.9]]], undefined],
  ])('is %s', (_, given, plate) => {
    expect(chosen(...given)).toBe(plate);
  });

  it('is what stands for none only where it is exactly a member’s', () => {
    for (const word of ['NONE', 'null', '0000', 'N/A']) {
      expect(chosen(word)).toBeUndefined();
      const isKnown = (plate: string) => plate === word.toUpperCase().replace('/', '');
      expect(decidePlate(read(word), { min_confidence: 0, isKnown })?.plate).toBe(word.toUpperCase());
    }
  });

  it('is never another one than that of somebody known', () => {
    const isKnown = (plate: string) => plate === 'ZG1234A8';
    expect(decidePlate(read('ZG1234A8', [['ZG1234AB', 0.9]]), { min_confidence: 0, isKnown })?.plate).toBe('ZG1234A8');
  });

  it('is none below the confidence that the camera must have, and any without one', () => {
    const known = { ...NOBODY, min_confidence: 0.9 };
    expect(decidePlate({ ...read('ZG1'), confidence: 0.9 }, known)?.plate).toBe('ZG1');
    expect(decidePlate({ ...read('ZG1'), confidence: 0.89 }, known)).toBeNull();
    expect(decidePlate({ ...read('ZG1'), confidence: null }, known)?.plate).toBe('ZG1');
    // A candidate that is not sure enough does not take the place of a read that is.
    expect(decidePlate(read('ZG1234A8', [['ZG1234AB', 0.8]]), known)?.plate).toBe('ZG1234A8');
    expect(decidePlate({ ...read('unknown', [['ZG2', 0.8]]), confidence: null }, known)).toBeNull();
  });

  it('is always one that the camera wrote', () => {
    const text = fc.stringMatching(/^[A-Z0-9]{4,9}$/);
    const candidate = fc.record({ raw_plate: text, confidence: fc.double({ min: 0, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(
        text,
        fc.array(candidate, { maxLength: 8 }),
        fc.constantFrom('HR', 'DE', 'GB', null),
        (own, others, country) => {
          const given = { ...read(own, [], country), candidates: others };
          expect([own, ...others.map(({ raw_plate }) => raw_plate)]).toContain(decidePlate(given, NOBODY)?.plate);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
