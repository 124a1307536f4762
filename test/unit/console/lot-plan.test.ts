import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { arrange, nameOf, type PlanThings, type Spot } from '../../../cloud/console/drawing/plan-layout.js';
import {
  alongFrom,
  frameOf,
  moveTo,
  nextFrom,
  resizeTo,
  savedOf,
  STEPS,
} from '../../../cloud/console/drawing/plan-moves.js';

const NORTH: PlanThings = {
  zones: [{ id: 1 }, { id: 2 }],
  places: [1, 2, 3, 4, 5].map((id) => ({ id, zone_id: 1 })),
  products: [
    { id: 1, zone_id: 1 },
    { id: 2, zone_id: 1 },
    { id: 3, zone_id: null },
  ],
  cameras: [
    { id: 1, zone_id: 1, product_id: 1, lpr_position: 'in' },
    { id: 2, zone_id: 1, product_id: 2, lpr_position: 'out' },
    { id: 3, zone_id: 2, product_id: null, lpr_position: 'in/out' },
  ],
};

const anyLot = fc
  .record({
    zones: fc.integer({ min: 0, max: 6 }),
    places: fc.integer({ min: 0, max: 120 }),
    products: fc.integer({ min: 0, max: 8 }),
    cameras: fc.integer({ min: 0, max: 8 }),
    seed: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ zones, places, products, cameras, seed }): PlanThings => {
    const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
    const zoneOf = (id: number) => ((id * 7 + seed) % zones) + 1;
    return {
      zones: ids(zones).map((id) => ({ id })),
      places: zones === 0 ? [] : ids(places).map((id) => ({ id, zone_id: zoneOf(id) })),
      products: ids(products).map((id) => ({ id, zone_id: zones === 0 || id % 4 === 0 ? null : zoneOf(id) })),
      cameras:
        zones === 0
          ? []
          : ids(cameras).map((id) => ({
              id,
              zone_id: zoneOf(id),
              product_id: id % 3 === 0 ? null : ((id + seed) % Math.max(1, products)) + 1,
              lpr_position: ['in', 'out', 'in/out'][(id + seed) % 3] ?? 'in',
            })),
    };
  });

const overlap = (a: Spot, b: Spot): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const namesOf = ({ zones, places, products, cameras }: PlanThings): string[] => [
  ...zones.map(({ id }) => nameOf({ kind: 'zone', id })),
  ...places.map(({ id }) => nameOf({ kind: 'parking_place', id })),
  ...products.map(({ id }) => nameOf({ kind: 'product', id })),
  ...cameras.map(({ id }) => nameOf({ kind: 'lpr_camera', id })),
];

describe('the plan of a lot', () => {
  it('has every thing once, in its zone, and nothing over another, whatever the lot has', () => {
    fc.assert(
      fc.property(anyLot, (things) => {
        const spots = arrange(things, []);
        expect(spots.map(nameOf).toSorted()).toEqual(namesOf(things).toSorted());
        const zones = spots.filter(({ kind }) => kind === 'zone');
        const others = spots.filter(({ kind }) => kind !== 'zone');
        for (const group of [zones, others])
          for (const [at, spot] of group.entries())
            expect(group.slice(at + 1).filter((other) => overlap(spot, other))).toEqual([]);
        for (const spot of others) {
          const zone = zones.find(({ id }) => id === spot.zone_id);
          if (zone === undefined) continue;
          expect(spot.x >= zone.x && spot.x + spot.width <= zone.x + zone.width).toBe(true);
          expect(spot.y >= zone.y && spot.y + spot.height <= zone.y + zone.height).toBe(true);
        }
      }),
    );
  });

  it('stands as it was saved, and a round through REST changes nothing', () => {
    fc.assert(
      fc.property(anyLot, (things) => {
        const spots = arrange(things, []);
        expect(arrange(things, savedOf(spots))).toEqual(spots);
      }),
    );
  });

  it('has entries at the left and exits at the right', () => {
    const spots = arrange(NORTH, []);
    const x = (name: string) => spots.find((spot) => nameOf(spot) === name)?.x ?? Number.NaN;
    expect(x('lpr_camera 1')).toBe(x('product 1'));
    expect(x('lpr_camera 2')).toBe(x('product 2'));
    expect(x('product 1')).toBeLessThan(x('parking_place 1'));
    expect(x('product 2')).toBeGreaterThan(x('parking_place 5'));
  });

  it('puts what is new beside what was saved, and in the zone that was moved', () => {
    const zone = { kind: 'zone', id: 1, x: 2_000, y: 3_000, width: 900, height: 500 } as const;
    const spots = arrange(NORTH, [zone]);
    const place = spots.find((spot) => nameOf(spot) === 'parking_place 3');
    expect([(place?.x ?? 0) > 2_000, (place?.y ?? 0) > 3_000]).toEqual([true, true]);
    const other = spots.find((spot) => nameOf(spot) === 'zone 2');
    expect(other?.y).toBeGreaterThanOrEqual(3_500);
  });

  it('keeps things inside a zone that people made small', () => {
    const spots = arrange(NORTH, [{ kind: 'zone', id: 1, x: 0, y: 0, width: 200, height: 120 }]);
    for (const spot of spots.filter(({ zone_id }) => zone_id === 1))
      expect([spot.x + spot.width <= 200, spot.y + spot.height <= 120]).toEqual([true, true]);
  });

  it('moves a zone with all that stands in it, on the grid and within the drawing', () => {
    const spots = arrange(NORTH, []);
    const before = new Map(spots.map((spot) => [nameOf(spot), spot]));
    const moved = moveTo(spots, { kind: 'zone', id: 1 }, { x: 503, y: 698 });
    for (const spot of moved) {
      const old = before.get(nameOf(spot));
      const isCarried = nameOf(spot) === 'zone 1' || spot.zone_id === 1;
      const zone = before.get('zone 1');
      const by = isCarried ? [500 - (zone?.x ?? 0), 700 - (zone?.y ?? 0)] : [0, 0];
      expect([nameOf(spot), spot.x - (old?.x ?? 0), spot.y - (old?.y ?? 0)]).toEqual([nameOf(spot), ...by]);
    }
    const far = moveTo(spots, { kind: 'zone', id: 1 }, { x: 99_999, y: -5 }).find(({ kind }) => kind === 'zone');
    expect([(far?.x ?? 0) + (far?.width ?? 0), far?.y]).toEqual([10_000, 0]);
    expect(moveTo(spots, { kind: 'product', id: 77 }, { x: 1, y: 1 })).toEqual(spots);
  });

  it('makes zones larger and smaller, and nothing else', () => {
    const spots = arrange(NORTH, []);
    const sizeOf = (all: readonly Spot[], name: string) => {
      const { width, height } = all.find((spot) => nameOf(spot) === name) ?? { width: 0, height: 0 };
      return [width, height];
    };
    expect(sizeOf(resizeTo(spots, { kind: 'zone', id: 2 }, { width: 404, height: 1 }), 'zone 2')).toEqual([400, 100]);
    const product = { kind: 'product', id: 1 } as const;
    expect(resizeTo(spots, product, { width: 500, height: 500 })).toEqual(spots);
  });

  it('is walked through by keys: arrows lead ahead, the others to everything', () => {
    fc.assert(
      fc.property(anyLot, (things) => {
        const spots = arrange(things, []);
        for (const spot of spots)
          for (const [direction, [stepX, stepY]] of Object.entries(STEPS)) {
            const next = nextFrom(spots, spot, direction as keyof typeof STEPS);
            const to = spots.find((each) => nameOf(each) === nameOf(next));
            if (to === undefined || to === spot) continue;
            const middle = (each: Spot) =>
              each.kind === 'zone' ? [each.x, each.y] : [each.x + each.width / 2, each.y + each.height / 2];
            const [[fromX = 0, fromY = 0], [toX = 0, toY = 0]] = [middle(spot), middle(to)];
            expect((toX - fromX) * stepX + (toY - fromY) * stepY).toBeGreaterThan(0);
          }
        const met: string[] = [];
        let at: Pick<Spot, 'kind' | 'id'> | undefined = spots[0];
        for (let count = 0; at !== undefined && count < spots.length; count += 1) {
          met.push(nameOf(at));
          at = alongFrom(spots, at, 1);
        }
        expect(met.toSorted()).toEqual(spots.map(nameOf).toSorted());
        if (at !== undefined) expect(nameOf(alongFrom(spots, at, -1))).toBe(met.at(-1));
      }),
      { numRuns: 25 },
    );
  });

  it('is framed as a whole', () => {
    const spots = arrange(NORTH, []);
    const frame = frameOf(spots);
    for (const { x, y, width, height } of spots)
      expect(
        x > frame.x && y > frame.y && x + width < frame.x + frame.width && y + height < frame.y + frame.height,
      ).toBe(true);
    expect(frameOf(spots, 100).width).toBe(frame.width + 100);
    expect(frameOf([]).width).toBeGreaterThan(0);
  });
});
