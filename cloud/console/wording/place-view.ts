/** The state of a parking place, as far as it is known. Pure. */
export interface WatchedPlace {
  parking_gateway_id: number | null;
  sensor: string | null;
  occupancy_status: 'free' | 'occupied';
  first_heard_at: string | null;
  stale_since: string | null;
}

/** The devices through which its state comes; undefined: not known. */
export interface PlaceSources {
  parkingGateway: { status: string; last_seen: string | null } | undefined;
  gateway: { status: string; last_seen: string | null } | undefined;
}

export interface PlaceView {
  state: 'free' | 'occupied' | 'unknown';
  /** How it was when it was last known; null: it is known, or never was. */
  was: { state: 'free' | 'occupied'; at: string } | null;
}

/** Without a sensor that is heard nobody knows how a place is. */
export function placeViewOf(place: WatchedPlace, { parkingGateway, gateway }: PlaceSources): PlaceView {
  const { occupancy_status: state, first_heard_at, stale_since } = place;
  const isWatched = place.parking_gateway_id !== null && place.sensor !== null;
  if (!isWatched || first_heard_at === null) return { state: 'unknown', was: null };
  const lostAt =
    stale_since ??
    (parkingGateway?.status === 'offline' ? (parkingGateway.last_seen ?? first_heard_at) : null) ??
    (gateway?.status === 'offline' ? (gateway.last_seen ?? first_heard_at) : null);
  return lostAt === null ? { state, was: null } : { state: 'unknown', was: { state, at: lostAt } };
}
