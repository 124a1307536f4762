/** What a thing of a plan is called, and how it is, for who hears the plan and for the colours of who sees it. */
import type { Spot } from '../drawing/plan-layout.js';
import { errorOf, formerStateOf, passStateOf } from '../wording/product-view.js';
import { decisionSentence } from '../wording/sentences.js';
import { timeOf, words } from './browser.js';
import { formerly } from './formerly.js';
import { joined } from './parts.js';
import { lastReadingOf } from './plan-shapes.js';
import { placeStateOf, placeView } from './plan-store.js';
import { shownPlate } from './plate-mask.js';
import { type Camera, cameraOf, type Place, productOf, timezoneOf, zoneOf } from './store.js';

type Thing = Pick<Spot, 'kind' | 'id'>;

const UNKNOWN_PLACE = { state: 'unknown', was: null } as const;

/** `Entry barrier, Barrier: Blocked` */
export function labelOf(thing: Thing, places: readonly Place[]): string {
  const { name, kind, state } = factsOf(thing, places);
  return `${name}, ${kind}: ${state}`;
}

function factsOf({ kind, id }: Thing, places: readonly Place[]): { name: string; kind: string; state: string } {
  const say = words.plan;
  if (kind === 'zone') {
    const zone = zoneOf(id);
    const state = zone === undefined ? '' : words.overview.occupied(zone.occupied_count, zone.spot_count);
    return { name: zone?.name ?? '', kind: words.forms.zone, state };
  }
  if (kind === 'parking_place') {
    const place = places.find((each) => each.id === id);
    const { state: known, was } = place === undefined ? UNKNOWN_PLACE : placeView(place);
    const state = joined([say.placeStates[known], was !== null && formerly(was)]);
    return {
      name: say.place(place?.name ?? String(id)),
      kind: say.zoneOf(zoneOf(place?.zone_id ?? 0)?.name ?? ''),
      state,
    };
  }
  if (kind === 'lpr_camera') return { name: cameraOf(id)?.name ?? '', kind: say.camera, state: lastRead(id) };
  const product = productOf(id);
  if (product === undefined) return { name: '', kind: '', state: '' };
  const error = errorOf(product);
  const was = formerStateOf(product);
  const state = joined([
    error === null ? words.states[passStateOf(product)] : words.productErrors[error],
    was !== null && formerly(was),
  ]);
  return { name: product.name, kind: words.kinds[product.product_type_id] ?? '', state };
}

/** Whether a camera sends, and else since when it is silent. */
export const cameraState = ({ status, last_seen, zone_id }: Camera): string =>
  status === 'online'
    ? words.lot.cameraOnline
    : words.lot.cameraOffline(last_seen && timeOf(last_seen, timezoneOf(zone_id)));

function lastRead(id: number): string {
  const camera = cameraOf(id);
  if (camera === undefined) return '';
  if (camera.status !== 'online') return cameraState(camera);
  const reading = lastReadingOf(id);
  if (reading === undefined) return words.plan.noRead;
  return `${words.plan.lastRead} ${shownPlate(reading.plate)}. ${decisionSentence(reading, words)}`;
}

/** A class of the drawing. */
export function stateOf({ kind, id }: Thing, places: readonly Place[]): string {
  if (kind === 'parking_place') {
    const place = places.find((each) => each.id === id);
    return place === undefined ? '' : placeStateOf(place);
  }
  if (kind === 'lpr_camera') return cameraOf(id)?.status === 'online' ? 'online' : 'offline';
  if (kind === 'zone') return '';
  const product = productOf(id);
  if (product === undefined) return '';
  return errorOf(product) === null ? passStateOf(product) : 'error';
}
