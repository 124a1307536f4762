/** The figures of a lot on a wall. */
import { expect, it } from 'vitest';
import { lotFigures } from '../../../cloud/console/wording/kiosk-figures.js';

const zone = (id: number, lot_id: number, spot_count: number, occupied_count: number) => ({
  id,
  lot_id,
  spot_count,
  occupied_count,
});

it('counts the free places of a lot, of which a full zone takes none from another', () => {
  const zones = [zone(1, 1, 10, 4), zone(2, 1, 5, 7), zone(3, 2, 9, 0)];
  const inside = [{ zone_id: 1 }, { zone_id: 2 }, { zone_id: 3 }, { zone_id: null }];
  expect(lotFigures(1, zones, inside)).toEqual({ free: 6, spots: 15, occupied: 11, insideCount: 2 });
});

it('knows no free places without a limit, and none inside before they were read', () => {
  expect(lotFigures(1, [zone(1, 1, 10, 4), zone(2, 1, 0, 3)], null)).toEqual({
    free: null,
    spots: 0,
    occupied: 7,
    insideCount: null,
  });
  expect(lotFigures(1, [], [])).toEqual({ free: null, spots: 0, occupied: 0, insideCount: 0 });
});
