/** Where the things of a lot stand in its plan: where people put them, and everything else where it fits. */

export type PlanKind = 'zone' | 'parking_place' | 'product' | 'lpr_camera';

/** A thing of the plan, with the corner at its top left, in units of the drawing. */
export interface Spot {
  kind: PlanKind;
  id: number;
  /** The zone that carries it along; null for a zone, and for what is in none. */
  zone_id: number | null;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** As REST keeps it. Without a size it has that of its kind. */
export interface SavedSpot extends Pick<Spot, 'kind' | 'id' | 'x' | 'y'> {
  width: number | null;
  height: number | null;
}

export interface PlanThings {
  zones: readonly { id: number }[];
  places: readonly { id: number; zone_id: number }[];
  products: readonly { id: number; zone_id: number | null }[];
  cameras: readonly { id: number; zone_id: number; product_id: number | null; lpr_position: string }[];
}

interface Size {
  width: number;
  height: number;
}

export const SIZES: Readonly<Record<Exclude<PlanKind, 'zone'>, Size>> = {
  parking_place: { width: 44, height: 70 },
  product: { width: 150, height: 96 },
  lpr_camera: { width: 150, height: 74 },
};
const HEAD = 56;
const GAP = 14;
const PLACES_GAP = 6;
/** An aisle between rows of places, by which cars reach them. */
const AISLE = 26;
const PLACES_PER_ROW_MAX = 16;
const MIDDLE_MIN = 220;
const ZONE_HEIGHT_MIN = 200;
/** A row of zones becomes no longer than this, as long as one zone alone is not. */
const ROW_MAX = 1_300;

/** The name of a thing in the plan: `zone 5`. */
export const nameOf = ({ kind, id }: Pick<Spot, 'kind' | 'id'>): string => `${kind} ${id}`;

/** Puts every thing somewhere, zones before what stands in them, so that they are drawn below it. */
export function arrange(things: PlanThings, saved: readonly SavedSpot[]): Spot[] {
  const savedByName = new Map(saved.map((each) => [nameOf(each), each]));
  const putWhere = (spot: Spot): Spot => {
    const own = savedByName.get(nameOf(spot));
    if (own === undefined) return spot;
    return { ...spot, x: own.x, y: own.y, width: own.width ?? spot.width, height: own.height ?? spot.height };
  };
  const zones: Spot[] = [];
  const inside: Spot[] = [];
  let left = GAP;
  let top = GAP + Math.max(0, ...saved.map((each) => each.y + (each.height ?? SIZES.product.height)));
  let rowHeight = 0;
  for (const { id } of things.zones) {
    const { size, spots } = layOutZone(id, things);
    if (left > GAP && left + size.width > ROW_MAX) {
      left = GAP;
      top += rowHeight + GAP;
      rowHeight = 0;
    }
    const zone = putWhere({ kind: 'zone', id, zone_id: null, x: left, y: top, ...size });
    if (!savedByName.has(nameOf(zone))) {
      left += size.width + GAP;
      rowHeight = Math.max(rowHeight, size.height);
    }
    zones.push(zone);
    inside.push(...spots.map((spot) => putWhere(within(zone, spot))));
  }
  return [...zones, ...inside, ...alone(things, top + rowHeight + GAP).map(putWhere)];
}

/** Moves a spot of the zone's own layout to where the zone stands; people may have made the zone smaller than that. */
function within(zone: Spot, spot: Spot): Spot {
  const room = (most: number, size: number) => Math.max(0, most - size);
  return {
    ...spot,
    x: zone.x + Math.min(spot.x, room(zone.width, spot.width)),
    y: zone.y + Math.min(spot.y, room(zone.height, spot.height)),
  };
}

/** What is in no zone stands in a row below all zones. */
const alone = ({ products }: PlanThings, top: number): Spot[] =>
  products
    .filter(({ zone_id }) => zone_id === null)
    .map(({ id }, at) => ({
      kind: 'product',
      id,
      zone_id: null,
      x: GAP + at * (SIZES.product.width + GAP),
      y: top,
      ...SIZES.product,
    }));

/** Entries stand at the left, exits at the right, places between them. Positions are from the zone's own corner. */
function layOutZone(zone_id: number, things: PlanThings): { size: Size; spots: Spot[] } {
  const cameras = things.cameras.filter((each) => each.zone_id === zone_id);
  const products = things.products.filter((each) => each.zone_id === zone_id);
  const places = things.places.filter((each) => each.zone_id === zone_id);
  const isExit = (camera: { lpr_position: string }) => camera.lpr_position === 'out';
  const watching = (product_id: number) => cameras.filter((each) => each.product_id === product_id);
  const ofExit = (product: { id: number }) => {
    const own = watching(product.id);
    return own.length > 0 && own.every(isExit);
  };
  const standing = cameras.filter((camera) => !products.some(({ id }) => id === camera.product_id));
  const columnOf = (isRight: boolean): Named[] => [
    ...products
      .filter((product) => ofExit(product) === isRight)
      .flatMap(({ id }): Named[] => [
        { kind: 'product', id },
        ...watching(id).map((camera): Named => ({ kind: 'lpr_camera', id: camera.id })),
      ]),
    ...standing
      .filter((camera) => isExit(camera) === isRight)
      .map((camera): Named => ({ kind: 'lpr_camera', id: camera.id })),
  ];
  const [left, right] = [columnOf(false), columnOf(true)];
  const leftWidth = left.length === 0 ? 0 : SIZES.product.width + GAP;
  const middle = layOutPlaces(places, { x: GAP + leftWidth, y: HEAD });
  const rightX = GAP + leftWidth + middle.width + GAP;
  const stackLeft = stack(left, { x: GAP, y: HEAD });
  const stackRight = stack(right, { x: rightX, y: HEAD });
  const height = Math.max(ZONE_HEIGHT_MIN, HEAD + middle.height, stackLeft.bottom, stackRight.bottom) + GAP;
  const width = rightX + (right.length === 0 ? 0 : SIZES.product.width + GAP);
  const spots = [...stackLeft.spots, ...stackRight.spots, ...middle.spots].map((spot) => ({ ...spot, zone_id }));
  return { size: { width, height }, spots };
}

interface Named {
  kind: 'product' | 'lpr_camera';
  id: number;
}

type Placed = Omit<Spot, 'zone_id'>;

function stack(named: readonly Named[], from: { x: number; y: number }): { spots: Placed[]; bottom: number } {
  let y = from.y;
  const spots = named.map(({ kind, id }) => {
    const spot = { kind, id, x: from.x, y, ...SIZES[kind] };
    y += SIZES[kind].height + GAP;
    return spot;
  });
  return { spots, bottom: y - GAP };
}

function layOutPlaces(
  places: readonly { id: number }[],
  from: { x: number; y: number },
): Size & { spots: readonly Placed[] } {
  const { width, height } = SIZES.parking_place;
  const perRow = Math.min(PLACES_PER_ROW_MAX, Math.max(4, Math.ceil(Math.sqrt(places.length * 3))));
  const stepX = width + PLACES_GAP;
  const stepY = height + AISLE;
  const spots = places.map(
    ({ id }, at): Placed => ({
      kind: 'parking_place',
      id,
      x: from.x + (at % perRow) * stepX,
      y: from.y + Math.floor(at / perRow) * stepY,
      width,
      height,
    }),
  );
  const rows = Math.ceil(places.length / perRow);
  return {
    width: Math.max(MIDDLE_MIN, Math.min(places.length, perRow) * stepX),
    height: rows === 0 ? 0 : rows * stepY - AISLE,
    spots,
  };
}
