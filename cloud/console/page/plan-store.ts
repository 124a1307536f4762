/** What the view of one lot needs beside what every view does: its places, kept up by events, and its plan as it was saved. */
import { signal } from '@preact/signals';
import type { RealtimeEvent } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import type { SavedSpot } from '../drawing/plan-layout.js';
import { type PlaceView, placeViewOf } from '../wording/place-view.js';
import { all, load, setRefusal } from './loading.js';
import { serverNow } from './server-clock.js';
import { client } from './session.js';
import { gatewayOf, onEvent, type Place, wholeReads } from './store.js';
import { parkingGatewayOf } from './trouble-store.js';
import { withEvents } from './event-listeners.js';

interface ShownLot {
  lot_id: number;
  places: readonly Place[];
  plan: readonly SavedSpot[];
  /** The version of the plan, which a change of it names. */
  etag: string | null;
}

/** Null until it has been read. */
export const shownLot = signal<ShownLot | null>(null);

const PAGE = 300;

/** Reads a lot when it is shown, and again when the connection has lost something or what stands in it was changed here. */
export function useShownLot(lot_id: number, isConnected: boolean): void {
  useEffect(() => {
    if (isConnected) void readLot(lot_id);
  }, [lot_id, isConnected, wholeReads.value]);
  useEffect(() => {
    const stop = onEvent(keepPlaces);
    return () => {
      stop();
      // Other views do not say that the places could not be read.
      setRefusal('places', null);
    };
  }, []);
}

function keepPlaces(event: RealtimeEvent): void {
  if (event.event !== 'parking_place_change' || shownLot.value === null) return;
  const reported = new Map(event.payload.places.map(({ id, occupancy_status }) => [id, occupancy_status]));
  const places = shownLot.value.places.map((place) => {
    const occupancy_status = reported.get(place.id);
    if (occupancy_status === undefined) return place;
    // Whatever reports a change is heard.
    const first_heard_at = place.first_heard_at ?? new Date(serverNow()).toISOString();
    return { ...place, occupancy_status, first_heard_at, stale_since: null };
  });
  shownLot.value = { ...shownLot.value, places };
}

/** The lot that was asked for last is shown, whichever answer comes last. */
function readLot(lot_id: number): Promise<void> {
  const query = { filter: [`lot_id:eq:${lot_id}`], sort: 'id:asc' as const, size: PAGE };
  const read = () => Promise.all([readPlan(lot_id), all(client().list('/v2/parking-places', { query }))]);
  return load(
    'places',
    () => withEvents(read),
    ({ value: [{ data, etag }, places], events }) => {
      shownLot.value = { lot_id, places, plan: data.items, etag };
      for (const event of events) keepPlaces(event);
    },
  );
}

const readPlan = (id: number) => client().request('get', '/v2/lots/{id}/plan', { path: { id } });

/** Reads the plan anew: somebody else has arranged it. */
export async function readPlanAgain(lot_id: number): Promise<void> {
  const { data, etag } = await readPlan(lot_id);
  if (shownLot.value?.lot_id === lot_id) shownLot.value = { ...shownLot.value, plan: data.items, etag };
}

/** Throws as the client does: 412 when somebody else has arranged it since it was read. */
export async function savePlan(lot_id: number, items: SavedSpot[]): Promise<void> {
  const ifMatch = shownLot.value?.etag ?? null;
  const { data, etag } = await client().request('put', '/v2/lots/{id}/plan', {
    path: { id: lot_id },
    body: { items },
    ...(ifMatch === null ? {} : { ifMatch }),
  });
  if (shownLot.value?.lot_id === lot_id) shownLot.value = { ...shownLot.value, plan: data.items, etag };
}

/** How a place is, and how it was when it was last known. */
export function placeView(place: Place): PlaceView {
  const parkingGateway = parkingGatewayOf(place.parking_gateway_id);
  const gateway = gatewayOf(parkingGateway?.gateway_id);
  return placeViewOf(place, { parkingGateway, gateway });
}

export const placeStateOf = (place: Place): PlaceView['state'] => placeView(place).state;
