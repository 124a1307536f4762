import { describe, expect, it } from 'vitest';
import { decideSeen } from '../../../agent/display/decide-seen.js';

describe('how full a zone is by its sensors', () => {
  it('counts a place whose sensor is silent as occupied', () => {
    expect(decideSeen([{ places: 500, occupiedPlaces: 121, silent: 1 }])).toEqual({ occupied: 121, is_known: true });
  });

  it.each([
    [500, 50, true],
    [500, 51, false],
    [20, 2, true],
    [9, 1, false],
    [3, 0, true],
  ])('with %i places, %i of them silent, is known: %s', (places, silent, is_known) => {
    expect(decideSeen([{ places, occupiedPlaces: silent, silent }]).is_known).toBe(is_known);
  });

  it('counts what another gateway hears, as long as the cloud tells of it', () => {
    const own = { places: 20, occupiedPlaces: 5, silent: 1 };
    const other = (is_heard: boolean) => decideSeen([own, { occupied_count: 7, is_heard }]);
    expect([other(true), other(false)]).toEqual([
      { occupied: 12, is_known: true },
      { occupied: 12, is_known: false },
    ]);
  });
});
