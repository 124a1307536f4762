/** Gateways with their health, and cameras: read over REST now and then, and changed by the events that tell of a change. */
import { computed, signal } from '@preact/signals';
import type { RealtimeEvent } from '@parking-gateway/client';
import { changedStatus } from '../wording/changed-status.js';
import { all, gathered, load, setRefusal } from './loading.js';
import type { Camera, Gateway, Health } from './records.js';
import { client, refusalOf } from './session.js';
import { withEvents } from './event-listeners.js';

const byId = { query: { sort: 'id:asc', size: 100 } } as const;
const GONE = 404;

export const gateways = signal<Gateway[]>([]);
/** Undefined: there is none, or it was deleted. */
export const gatewayOf = (id: number | null | undefined): Gateway | undefined =>
  gateways.value.find((each) => each.id === id);
export const cameras = signal<Camera[]>([]);
export const healths = signal<ReadonlyMap<number, Health>>(new Map());

const cameraById = computed(() => new Map(cameras.value.map((camera) => [camera.id, camera])));
export const cameraOf = (id: number | null): Camera | undefined => (id === null ? undefined : cameraById.value.get(id));

export function forgetDevices(): void {
  gateways.value = [];
  cameras.value = [];
  healths.value = new Map();
}

/** What no event tells: queue and token of gateways, when a camera was heard last. */
export async function loadDevices(): Promise<void> {
  await load(
    'devices',
    () =>
      withEvents(() =>
        Promise.all([all(client().list('/v2/gateways', byId)), all(client().list('/v2/lpr-cameras', byId))]),
      ),
    ({ value: [nextGateways, nextCameras], events }) => {
      gateways.value = nextGateways;
      cameras.value = nextCameras;
      for (const event of events) applyDeviceEvent(event);
      setRefusal('changed devices', null);
    },
  );
  await loadHealths(gateways.value.filter(({ claimed_at }) => claimed_at !== null).map(({ id }) => id));
}

/** Each gateway is a part of its own: when one cannot be read, its last values stay, its failure is shown, and the others are not affected. */
const loadHealths = async (ids: readonly number[]): Promise<void> => void (await Promise.all(ids.map(loadHealth)));

const loadHealth = (id: number): Promise<void> =>
  load(
    `health of ${id}`,
    () =>
      client()
        .get('/v2/gateways/{id}/health', { path: { id } })
        .catch((error: unknown) => {
          if (refusalOf(error).status === GONE) return null;
          throw error;
        }),
    (health) => {
      const next = new Map(healths.value);
      if (health === null) next.delete(id);
      else next.set(id, health);
      healths.value = next;
    },
  );

/** What has changed since the last reading of single devices. */
const changed = { gateways: new Set<number>(), cameras: new Set<number>() };

const loadChangedSoon = gathered(async () => {
  const [gatewayIds, cameraIds] = [[...changed.gateways], [...changed.cameras]];
  changed.gateways.clear();
  changed.cameras.clear();
  const filter = (ids: readonly number[]) => [`id:in:${ids.join(',')}`];
  await load(
    'changed devices',
    () =>
      Promise.all([
        gatewayIds.length === 0 ? [] : all(client().list('/v2/gateways', { query: { filter: filter(gatewayIds) } })),
        cameraIds.length === 0 ? [] : all(client().list('/v2/lpr-cameras', { query: { filter: filter(cameraIds) } })),
      ]),
    ([nextGateways, nextCameras]) => {
      gateways.value = withNewer(gateways.value, nextGateways);
      cameras.value = withNewer(cameras.value, nextCameras);
    },
  );
  await loadHealths(gatewayIds);
});

const loadDevicesSoon = gathered(loadDevices);

const withNewer = <Item extends { id: number }>(items: readonly Item[], newer: readonly Item[]): Item[] => {
  const known = new Map(newer.map((item) => [item.id, item]));
  return items.map((item) => known.get(item.id) ?? item);
};

/** Gateways and cameras report all the time: a device is read again only when its status changed. */
export function handleDeviceEvent(event: RealtimeEvent): void {
  if (event.event === 'gateway_status') {
    const gateway = gateways.value.find(({ uuid }) => uuid === event.payload.uuid);
    // One that has just been claimed.
    if (gateway === undefined) loadDevicesSoon();
    else if (changedStatus(gateway.status, event.payload.status) !== null) noteGateway(gateway.id);
  } else if (event.event === 'lpr_camera_status') {
    const camera = cameraOf(event.payload.id);
    if (camera === undefined) loadDevicesSoon();
    else if (changedStatus(camera.status, event.payload.status) !== null) {
      changed.cameras.add(camera.id);
      if (camera.gateway_id !== null) noteGateway(camera.gateway_id);
      loadChangedSoon();
    }
  }
  applyDeviceEvent(event);
}

function noteGateway(id: number): void {
  if (gatewayOf(id)?.claimed_at === null) loadDevicesSoon();
  changed.gateways.add(id);
  loadChangedSoon();
}

/** What the event itself tells is shown at once. */
function applyDeviceEvent(event: RealtimeEvent): void {
  if (event.event === 'gateway_status') {
    const { uuid, status } = event.payload;
    gateways.value = withStatus(gateways.value, (gateway) => gateway.uuid === uuid, status);
  } else if (event.event === 'lpr_camera_status') {
    const { id, status } = event.payload;
    cameras.value = withStatus(cameras.value, (camera) => camera.id === id, status);
  }
}

/** @returns the same list when no status changes, so that nothing is drawn anew */
function withStatus<Item extends { status: string }>(
  items: Item[],
  isMeant: (item: Item) => boolean,
  reported: 'online' | 'offline',
): Item[] {
  const at = items.findIndex(isMeant);
  const item = items[at];
  const status = item === undefined ? null : changedStatus(item.status, reported);
  return item === undefined || status === null ? items : items.with(at, { ...item, status });
}
