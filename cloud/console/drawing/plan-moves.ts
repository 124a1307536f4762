/** What happens to a plan when somebody arranges it, and where the next thing is for somebody with a keyboard. */
import { nameOf, type SavedSpot, SIZES, type Spot } from './plan-layout.js';

/** The edge of the drawing, as REST bounds it. */
const EDGE = 10_000;
/** Things snap to a grid: what was to stand in a line does. */
export const GRID = 10;
const ZONE_MIN = 100;
const MARGIN = 16;

type Named = Pick<Spot, 'kind' | 'id'>;

const isSame = (a: Named, b: Named): boolean => a.kind === b.kind && a.id === b.id;
const snapped = (value: number): number => Math.round(value / GRID) * GRID;
const between = (least: number, value: number, most: number): number => Math.min(Math.max(least, value), most);

/** Puts a thing somewhere else, and with a zone all that stands in it. */
export function moveTo(spots: readonly Spot[], thing: Named, to: { x: number; y: number }): Spot[] {
  const own = spots.find((spot) => isSame(spot, thing));
  if (own === undefined) return [...spots];
  const dx = between(0, snapped(to.x), EDGE - own.width) - own.x;
  const dy = between(0, snapped(to.y), EDGE - own.height) - own.y;
  const goesAlong = (spot: Spot) => isSame(spot, own) || (own.kind === 'zone' && spot.zone_id === own.id);
  return spots.map((spot) =>
    goesAlong(spot)
      ? { ...spot, x: between(0, spot.x + dx, EDGE - spot.width), y: between(0, spot.y + dy, EDGE - spot.height) }
      : spot,
  );
}

/** Makes a zone larger or smaller; nothing else has another size than its kind. */
export function resizeTo(spots: readonly Spot[], thing: Named, to: { width: number; height: number }): Spot[] {
  return spots.map((spot) =>
    spot.kind === 'zone' && isSame(spot, thing)
      ? {
          ...spot,
          width: between(ZONE_MIN, snapped(to.width), EDGE - spot.x),
          height: between(ZONE_MIN, snapped(to.height), EDGE - spot.y),
        }
      : spot,
  );
}

/** As REST takes it. */
export const savedOf = (spots: readonly Spot[]): SavedSpot[] =>
  spots.map(({ kind, id, x, y, width, height }) => ({
    kind,
    id,
    x: Math.round(x),
    y: Math.round(y),
    ...(kind === 'zone' ? { width: Math.round(width), height: Math.round(height) } : { width: null, height: null }),
  }));

export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part of the drawing that is shown. @param room how much is left free at the right and below, to put something there */
export function frameOf(spots: readonly Spot[], room = 0): Frame {
  const left = Math.min(...spots.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...spots.map(({ y }) => y)) - MARGIN;
  const right = Math.max(...spots.map(({ x, width }) => x + width)) + MARGIN + room;
  const bottom = Math.max(...spots.map(({ y, height }) => y + height)) + MARGIN + room;
  if (spots.length === 0) return { x: 0, y: 0, width: SIZES.product.width, height: SIZES.product.height };
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** How far an arrow key leads. */
export const STEPS: Readonly<Record<Direction, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The nearest thing in a direction; what is straight ahead is nearer than what is beside. The same one when there is none. */
export function nextFrom(spots: readonly Spot[], thing: Named, direction: Direction): Named {
  const from = spots.find((spot) => isSame(spot, thing));
  if (from === undefined) return spots[0] ?? thing;
  const [stepX, stepY] = STEPS[direction];
  const middle = ({ x, y, width, height, kind }: Spot) =>
    // A zone is reached at its name: its middle is that of what stands in it.
    kind === 'zone' ? [x, y] : [x + width / 2, y + height / 2];
  const [fromX = 0, fromY = 0] = middle(from);
  const ahead = spots.flatMap((spot) => {
    const [x = 0, y = 0] = middle(spot);
    const along = (x - fromX) * stepX + (y - fromY) * stepY;
    const beside = Math.abs((x - fromX) * stepY) + Math.abs((y - fromY) * stepX);
    return along <= 0 || isSame(spot, from) ? [] : [{ spot, far: along + 2 * beside }];
  });
  const [nearest] = ahead.toSorted((a, b) => a.far - b.far || nameOf(a.spot).localeCompare(nameOf(b.spot)));
  return nearest?.spot ?? from;
}

/** The thing that comes next in the order of the drawing, or the one before: who goes on meets everything once. */
export function alongFrom(spots: readonly Spot[], thing: Named, step: 1 | -1): Named {
  const at = spots.findIndex((spot) => isSame(spot, thing));
  return spots[(at + step + spots.length) % spots.length] ?? thing;
}
