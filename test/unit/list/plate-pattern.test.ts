/** The plates that a person looks for: what a pattern and a look-alike become, as an array of plates says that is compared the same way. */
import { describe, expect, it } from 'vitest';
import { parseFilter, PLATE } from '../../../cloud/rest/list/filter-parser.js';
import { alikePlates, likeOfPattern, parsePlatePattern } from '../../../cloud/rest/list/plate-pattern-parser.js';
import { looksAlike } from '../../../shared/plate/match-plate.js';
import * as fc from '../../property.js';
import { runs } from '../../depth.js';

describe('a pattern of a plate', () => {
  it.each([
    ['zg ?12*', 'ZG?12*'],
    ['ZG-1234-AB', 'ZG1234AB'],
    ['**zg***', '*ZG*'],
    ['*?*zg', '?*ZG'],
    ['?', '?'],
    ['Ｚg%_*', 'ZG*'],
  ])('%s is kept as %s', (text, pattern) => {
    expect(parsePlatePattern(text)).toBe(pattern);
  });

  it.each(['', '%', '_', '-', ' - ', '\0'])('%j finds nothing: no plate has anything of it', (text) => {
    expect(parsePlatePattern(text)).toBeNull();
  });

  it.each([['*A'.repeat(9)], ['A'.repeat(65)], ['-'.repeat(300)]])('%s is refused', (text) => {
    const refused = { problem: 'the value of plate must be a licence plate, with at most 8 * for match' };
    expect(parseFilter(`plate:match:${text}`, { plate: PLATE })).toEqual(refused);
  });

  it.each([
    ['ZG?12*', { like: 'ZG_12%', range: { from: 'ZG', to: 'ZH' } }],
    ['*12', { like: '%12', range: null }],
    ['ZZ*', { like: 'ZZ%', range: { from: 'ZZ', to: 'Z[' } }],
    ['ZG1', { like: 'ZG1', range: { from: 'ZG1', to: 'ZG2' } }],
  ])('%s is looked for in the range of what begins alike', (pattern, like) => {
    expect(likeOfPattern(pattern)).toEqual(like);
  });
});

const LETTERS = 'ZG2B8O0QDIL1S5A6';
const plates = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 6 });
const regExpOf = (like: string) => new RegExp(`^${like.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'u');

/** As the database judges by these conditions. */
function fits(plate: string, other: string): boolean {
  const { length, places, edited } = alikePlates(plate);
  const [begins, ends] = edited.halves;
  if (Math.abs(other.length - length) > 1) return false;
  const isFolded =
    other.length === length && places.every(({ at, characters }) => characters.includes(other[at - 1] ?? ''));
  const hasHalf = regExpOf(begins).test(other) || regExpOf(ends).test(other);
  return isFolded || (hasHalf && edited.patterns.some((pattern) => regExpOf(pattern).test(other)));
}

describe('plates that look like one', () => {
  it('are those that an exit could take for it', () => {
    fc.assert(
      fc.property(plates, plates, (plate, other) => {
        expect([plate, other, fits(plate, other)]).toEqual([plate, other, looksAlike(plate, other)]);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    ['ZG1234AB', '2GI234A8', true],
    ['ZG1234AB', 'ZG1234A', true],
    ['ZG1234AB', 'ZG12334AB', true],
    ['ZG1234AB', 'ZG9234AB', true],
    ['ZG1234AB', 'ZG9934AB', false],
    ['A', 'AB', true],
    ['A', 'X', true],
  ])('%s and %s: %s', (plate, other, isAlike) => {
    expect([looksAlike(plate, other), fits(plate, other)]).toEqual([isAlike, isAlike]);
  });
});
