import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideDiffers } from '../../../cloud/site/zone/decide-drift.js';
import { decideRecount } from '../../../cloud/site/zone/decide-recount.js';

describe('a recount', () => {
  it.each<[begun: number[], counted: number, until: number, extra: number]>([
    [[], 0, 0, 0],
    [[], 3, 0, 3],
    [[10, 30, 20], 3, 0, 0],
    [[10, 30, 20], 5, 0, 2],
    // Those that came first are not there any more.
    [[10, 30, 20], 1, 20, 0],
    [[10, 30, 20], 0, 30, 0],
    // Two that began at once cannot be told apart: none of them counts, and one vehicle has no session.
    [[10, 20, 20], 1, 20, 1],
  ])('counts sessions since %j where %i vehicles were counted', (begun, counted, uncounted_until, extra_count) => {
    expect(decideRecount(begun, counted)).toEqual({ uncounted_until, extra_count });
  });

  it('counts what somebody counted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 20 }), fc.nat(30), (begun, counted) => {
        const { uncounted_until, extra_count } = decideRecount(begun, counted);
        expect(extra_count).toBeGreaterThanOrEqual(0);
        expect(begun.filter((began) => began > uncounted_until).length + extra_count).toBe(counted);
      }),
    );
  });
});

describe('sensors and sessions differ', () => {
  it.each<[sensors: number | null, sessions: number, spots: number, differs: boolean]>([
    [10, 14, 40, false],
    [10, 15, 40, true],
    [15, 10, 40, true],
    [null, 15, 40, false],
    // Without a number of places, the larger count stands for it.
    [9, 10, 0, false],
    [8, 10, 0, true],
    [0, 0, 0, false],
  ])('%s and %i of %i places: %s', (sensors, sessions, spots, differs) => {
    expect(decideDiffers({ sensors, sessions }, spots)).toBe(differs);
  });
});
