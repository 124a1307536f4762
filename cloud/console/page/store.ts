/** What the console knows of the car parks: read over REST at the beginning and after a gap, kept up by realtime events between. */
import { computed, signal } from '@preact/signals';
import type { RealtimeClient, RealtimeEvent, RealtimeState } from '@parking-gateway/client';
import { forgetDevices, handleDeviceEvent, loadDevices } from './device-store.js';
import { forgetInside, loadInside, loadInsideSoon } from './inside-store.js';
import { all, forgetLoading, gathered, load } from './loading.js';
import { forgetSettings, loadSettings } from './account-settings.js';
import { forgetRevealed } from './plate-mask.js';
import { forgetReadings, keepPushedReading, loadHandledSoon, readings, readNewest } from './reading-store.js';
import type { Lot, Product, Zone } from './records.js';
import { client, endSignIn, onUnanswered } from './session.js';
import { serverNow } from './server-clock.js';
import { forgetSightings, loadSightings, loadSightingsSoon } from './sighting-store.js';
import { forgetWatched, loadWatched } from './trouble-store.js';
import { notifyEvent, withEvents } from './event-listeners.js';

// Views take what they show from here, wherever it is kept.
export { cameraOf, cameras, gatewayOf, gateways, healths, loadDevices } from './device-store.js';
export { inside } from './inside-store.js';
export { all, loadRefusal } from './loading.js';
export { keepReadings, readings } from './reading-store.js';
export type { Camera, Gateway, Health, Lot, Place, Product, Reading, Session, Zone } from './records.js';
export { onEvent } from './event-listeners.js';

/** What no event tells: queue and token of gateways, when a camera was heard last, vehicles without a plate. */
const REFRESH_MS = 60_000;
/** No event tells that an emergency begins or ends, and everybody is to know of it soon. */
const LOTS_AGAIN_MS = 10_000;
/** Whoever has REST and no socket does not wait for one longer. */
const SOCKET_WITHIN_MS = 3_000;

export const lots = signal<Lot[]>([]);
export const zones = signal<Zone[]>([]);
export const products = signal<Product[]>([]);
/** Whether everything has been read once. */
export const isLoaded = signal(false);
/** Counts how often everything was read: after it, what a view has read for itself may miss something. */
export const wholeReads = signal(0);
/** Since when nothing new comes; null while the connection lives. Milliseconds since 1970. */
export const lostSince = signal<number | null>(null);
/** Counts what may have changed the list of sessions, so that who shows one reads it again. */
export const sessionChanges = signal(0);
/** Lots that are held open in an emergency. */
export const released = computed(() => lots.value.filter(({ released_at }) => released_at !== null));
/** Undefined: the product is in no lot that is held open. */
export const releasedLotOf = ({ lot_id }: Pick<Product, 'lot_id'>): Lot | undefined =>
  released.value.find(({ id }) => id === lot_id);
/** Minutes of the clock: what is told by age is written anew with each. */
export const minute = signal(serverNow());
/** The time of the service, for ages: who calls it is drawn anew each minute. Milliseconds since 1970. */
export function serverMinute(): number {
  void minute.value;
  return serverNow();
}

const zoneById = computed(() => new Map(zones.value.map((zone) => [zone.id, zone])));
export const zoneOf = (id: number): Zone | undefined => zoneById.value.get(id);
const productById = computed(() => new Map(products.value.map((product) => [product.id, product])));
export const productOf = (id: number | null | undefined): Product | undefined =>
  id === null || id === undefined ? undefined : productById.value.get(id);
/** The name of the chosen lot, or of the only one; empty: of several. @param chosen its id as text; empty: none is chosen */
export const lotName = (chosen: string): string => {
  const [lot, ...others] = lots.value.filter(({ id }) => chosen === '' || String(id) === chosen);
  return lot === undefined || others.length > 0 ? '' : lot.name;
};
const timezoneByLot = computed(() => new Map(lots.value.map(({ id, timezone }) => [id, timezone])));
/** Undefined: not known. */
export const timezoneOfLot = (lotId: number | null | undefined): string | undefined =>
  timezoneByLot.value.get(lotId ?? 0);
/** The time zone of the lot in which a zone is; undefined: not known. */
export const timezoneOf = (zoneId: number | null): string | undefined =>
  timezoneOfLot(zoneId === null ? undefined : zoneOf(zoneId)?.lot_id);

/** What a zone is called where those of several lots stand beside each other: they may have the same name. */
export function zoneName(id: number): string {
  const zone = zoneOf(id);
  const lot = lots.value.find((each) => each.id === zone?.lot_id);
  return zone === undefined ? '–' : lots.value.length > 1 ? `${lot?.name ?? '–'}: ${zone.name}` : zone.name;
}

let realtime: RealtimeClient | undefined;
/** Whether the socket has been live since the sign-in: from then on it brings what happens after a reading. */
let isFollowed = false;
let refreshing: ReturnType<typeof setInterval> | undefined;
let lookingAtLots: ReturnType<typeof setInterval> | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Begins with the token of who has just signed in. What is read before the socket lives could miss what happens between the two. */
export function start(): void {
  stop();
  realtime = client().realtime({ onEvent: handleEvent, onResync: () => void loadAll(), onState: handleState });
  waiting = setTimeout(() => void loadAll(), SOCKET_WITHIN_MS);
  lookingAtLots = setInterval(() => void loadLots(), LOTS_AGAIN_MS);
  refreshing = setInterval(() => {
    minute.value = serverNow();
    void loadDevices();
    void loadProducts();
    void loadSightings();
    void loadWatched();
  }, REFRESH_MS);
}

/** Forgets everything: the next person may be another one. */
export function stop(): void {
  forgetLoading();
  realtime?.close();
  realtime = undefined;
  isFollowed = false;
  clearInterval(refreshing);
  clearInterval(lookingAtLots);
  clearTimeout(waiting);
  lots.value = [];
  zones.value = [];
  products.value = [];
  forgetDevices();
  forgetWatched();
  forgetReadings();
  forgetSightings();
  forgetInside();
  isLoaded.value = false;
  lostSince.value = null;
  forgetRevealed();
  forgetSettings();
}

const byId = { query: { sort: 'id:asc', size: 100 } } as const;
const readLots = () => all(client().list('/v2/lots', byId));
const readProducts = () => all(client().list('/v2/products', byId));
const readZones = () => all(client().list('/v2/zones', byId));

/** Events that come while it reads are applied once more to what it has read. */
export async function loadAll(): Promise<void> {
  clearTimeout(waiting);
  const read = () =>
    Promise.all([readLots(), readZones(), readProducts(), readNewest(), loadSettings(), loadDevices()]);
  void loadSightings();
  void loadInside();
  void loadWatched();
  await load(
    'lots',
    () => withEvents(read),
    ({ value: [nextLots, nextZones, nextProducts, newest], events }) => {
      lots.value = nextLots;
      zones.value = nextZones;
      products.value = nextProducts;
      readings.value = newest;
      for (const event of events) applyEvent(event);
      isLoaded.value = true;
      wholeReads.value += 1;
      sessionChanges.value += 1;
    },
  );
}

/** Lots with their emergencies. The same lots again draw nothing anew. */
export const loadLots = (): Promise<void> =>
  load('emergencies', readLots, (next) => {
    if (isLoaded.value && JSON.stringify(next) !== JSON.stringify(lots.value)) lots.value = next;
  });
const loadLotsSoon = gathered(loadLots);

/** What sessions count has no event of its own. */
const loadZonesSoon = gathered(() =>
  load(
    'zones',
    () => withEvents(readZones),
    ({ value, events }) => {
      zones.value = value;
      for (const event of events) if (event.event === 'zone_change') applyEvent(event);
    },
  ),
);

/** When a product was last heard, and whether it is paired, no event says. */
const loadProducts = (): Promise<void> =>
  load(
    'products',
    () => withEvents(readProducts),
    ({ value, events }) => {
      if (!isLoaded.value) return;
      products.value = value;
      for (const event of events) if (event.event === 'lot_change') applyEvent(event);
    },
  );
const loadProductsSoon = gathered(loadProducts);

function handleState(state: RealtimeState): void {
  if (state.state === 'live') {
    lostSince.value = null;
    if (!isFollowed) void loadAll();
    isFollowed = true;
  } else if (state.state === 'waiting') lostSince.value ??= Date.now();
  else if (state.state === 'ended' && state.code === 4401) endSignIn();
}

/** A socket whose other end is gone may stay silent for minutes: what says so earlier is believed, and a new connection shows whether it is true. */
function doubt(): void {
  if (realtime === undefined || lostSince.value !== null) return;
  lostSince.value = Date.now();
  realtime.reconnect();
}

onUnanswered(doubt);
addEventListener('offline', doubt);
addEventListener('online', () => realtime?.reconnect());

function handleEvent(event: RealtimeEvent): void {
  const wasOnline = event.event === 'lot_change' && productOf(event.payload.data.id)?.status === 'online';
  applyEvent(event);
  if (event.event === 'lot_change' && wasOnline && event.payload.data.status === 'offline') loadProductsSoon();
  if (event.event === 'session_create' || event.event === 'session_update') {
    sessionChanges.value += 1;
    loadInsideSoon();
    loadZonesSoon();
  }
  // The end of a command, which may be one of a release, or for a vehicle that waits.
  if ((event.event === 'lot_change' || event.event === 'gateway_error') && event.payload.event_id !== undefined) {
    loadLotsSoon();
    loadHandledSoon();
    loadSightingsSoon();
    // The event does not say when a product moved, and its first movement ends a step of the guide.
    if (event.event === 'lot_change' && productOf(event.payload.data.id)?.last_moved === null) loadProductsSoon();
  }
  handleDeviceEvent(event);
  notifyEvent(event);
}

/** What an event itself tells. To apply it again changes nothing. */
function applyEvent(event: RealtimeEvent): void {
  if (event.event === 'lot_change') keepProduct(event.payload.data);
  else if (event.event === 'zone_change') {
    const reported = new Map(event.payload.zones.map((zone) => [zone.id, zone]));
    zones.value = zones.value.map((zone) => {
      const { occupied_count, spot_count } = reported.get(zone.id) ?? zone;
      return { ...zone, occupied_count, spot_count };
    });
  } else if (event.event === 'plate_reading_create' || event.event === 'plate_reading_update')
    keepPushedReading(event.payload);
}

/** An event leaves out what it does not change, and spells the barrier's settings its own way: state and faults are what is taken. */
function keepProduct(reported: Extract<RealtimeEvent, { event: 'lot_change' }>['payload']['data']): void {
  products.value = products.value.map((product) => {
    if (product.id !== reported.id) return product;
    const { name, status, battery_status, rssi } = reported;
    const next: Product = {
      ...product,
      name,
      status,
      battery_status,
      rssi,
      last_seen: status === 'online' ? new Date(serverNow()).toISOString() : product.last_seen,
      product_error: reported.product_error ?? null,
    };
    if (product.barrier !== undefined && reported.barrier !== undefined) {
      const { state, is_car_on_top } = reported.barrier;
      next.barrier = { ...product.barrier, state, is_car_on_top };
    }
    for (const kind of ['gate', 'chain', 'bollard', 'brain'] as const) {
      const [before, after] = [product[kind], reported[kind]];
      if (before !== undefined && after !== undefined) next[kind] = { ...before, ...after };
    }
    return next;
  });
}
