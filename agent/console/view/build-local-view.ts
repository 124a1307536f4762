/** Builds the document that the gateway's own page shows, from the gateway's memory. */
import type { CameraItem, ProductItem } from '../../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { PRODUCT_ERRORS } from '../../../shared/wording/gate-sentences.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { CameraStatus, ProductStatus } from '../../health/status-rows.js';
import { minuteOf, ownTroubles } from '../../health/decide-own-troubles.js';
import type { GatewayStatus } from '../../health/status.js';
import type {
  CameraView,
  LocalActionView,
  LocalView,
  PassState,
  ProductView,
  ReadView,
  RefusedView,
  SightingView,
} from './local-view.js';

const MEGABYTE = 1_048_576;
const POSITION_OF_NOBODY = 'both';

/** A sighting, or a refused read, as it is remembered. */
export type Remembered<View> = Omit<View, 'camera' | 'product'> & { camera_device_id: string };

export interface LocalViewSources {
  status: GatewayStatus;
  reports: readonly ProductReport[];
  isMoving(deviceId: ProductDeviceId): boolean;
  rules: Pick<AccessRules, 'gateway' | 'camera' | 'product'>;
  /** The last read of each camera that had one since the agent started, by its device_id. */
  lastReads: ReadonlyMap<string, ReadView>;
  /** The newest first. */
  sightings: readonly Remembered<SightingView>[];
  /** The newest first. */
  refused: readonly Remembered<RefusedView>[];
  actions: readonly LocalActionView[];
}

export function buildLocalView(sources: LocalViewSources): LocalView {
  const { status, rules } = sources;
  const nowMs = Date.parse(status.clock.now);
  const { version, uuid, lot, cloud, radio, store } = status;
  return {
    version,
    uuid,
    name: status.name,
    lot,
    timezone: rules.gateway()?.timezone ?? null,
    started_at: isoMinute(nowMs - status.uptime_s * 1_000),
    cloud,
    clock: { known: status.clock.known },
    troubles: ownTroubles(status),
    radio: {
      state: radio.state,
      adapters: radio.adapters.map(({ name, state }) => ({ name, state })),
      last_recovery: lastRecovery(radio),
    },
    outbox: { pending: status.outbox.pending },
    store: { megabytes: Math.round(store.bytes / MEGABYTE), failed: store.failed, quarantined: store.quarantined },
    products: productViews(sources, nowMs),
    cameras: status.cameras.map((camera) => cameraView(camera, sources)),
    sightings: sources.sightings.map((sighting) => ({ ...sighting, ...placeOf(sighting, rules) })),
    refused: sources.refused.map((read) => ({ ...read, ...placeOf(read, rules) })),
    parking_gateways: status.parking_gateways.map((gateway) => ({
      name: gateway.name,
      driver: gateway.driver,
      status: gateway.status,
      fault: gateway.fault,
      places: gateway.places.map((place) => placeView(place, nowMs)),
    })),
    displays: status.displays.map((display) => ({
      name: display.name,
      driver: display.driver,
      text: display.text,
      fault: display.fault,
    })),
    actions: [...sources.actions],
  };
}

const isoMinute = (ms: number): string => new Date(minuteOf(ms)).toISOString();

function placeView(
  { name, occupancy, is_stale, heard_ago_s: ago_s }: GatewayStatus['parking_gateways'][number]['places'][number],
  nowMs: number,
): LocalView['parking_gateways'][number]['places'][number] {
  return { name, occupancy, is_stale, heard_at: is_stale && ago_s !== null ? isoMinute(nowMs - ago_s * 1_000) : null };
}

function lastRecovery({ last_recovery: last }: GatewayStatus['radio']): LocalView['radio']['last_recovery'] {
  return last === null ? null : { adapter: last.adapter, step: last.step, reason: last.reason };
}

function productViews({ status, reports, isMoving }: LocalViewSources, nowMs: number): ProductView[] {
  const reportOf = new Map<string, ProductReport>(reports.map((report) => [report.device_id, report]));
  return status.products.map(({ state, passage, problem: _said, seen_ago_s, ...product }) => {
    const report = reportOf.get(product.device_id);
    const held = report?.permanent_position ?? 'disabled';
    const isLost = product.status === 'offline' && seen_ago_s !== null;
    return {
      ...product,
      errors: PRODUCT_ERRORS.filter((name) => product.errors.includes(name)),
      state: stateOf({ state, passage, status: product.status }, report !== undefined && isMoving(report.device_id)),
      held: held === 'disabled' ? null : held,
      is_car_on_top: report?.is_car_on_top ?? false,
      lost_at: isLost ? isoMinute(nowMs - seen_ago_s * 1_000) : null,
      was: isLost ? formerOf(state) : null,
    };
  });
}

const formerOf = (state: string | null): ProductView['was'] =>
  state === 'opened' ? 'passable' : state === 'closed' ? 'blocked' : null;

function stateOf(
  { state, passage, status }: Pick<ProductStatus, 'state' | 'passage' | 'status'>,
  moves: boolean,
): PassState {
  if (moves) return 'moving';
  // A state from before it was lost counts no more.
  return state === 'error' && status === 'online' ? 'error' : passage;
}

function cameraView(
  { clock_is_drifting, ...camera }: CameraStatus,
  { rules, lastReads }: Pick<LocalViewSources, 'rules' | 'lastReads'>,
): CameraView {
  const item = rules.camera(camera.device_id);
  return {
    ...camera,
    clock_behind_s: clock_is_drifting ? camera.clock_behind_s : null,
    position: item?.lpr_position ?? POSITION_OF_NOBODY,
    product: productOf(item, rules)?.name ?? null,
    last_read: lastReads.get(camera.device_id) ?? null,
  };
}

/** The camera at which a vehicle stands, and the product that opens for it. */
function placeOf(
  { camera_device_id }: { camera_device_id: string },
  rules: LocalViewSources['rules'],
): Pick<SightingView, 'camera' | 'product'> {
  const camera = rules.camera(camera_device_id);
  const product = productOf(camera, rules);
  return {
    camera: camera?.name ?? camera_device_id,
    product: product === undefined ? null : { device_id: product.device_id, name: product.name },
  };
}

function productOf(camera: CameraItem | undefined, rules: LocalViewSources['rules']): ProductItem | undefined {
  const deviceId = camera?.product_device_id ?? null;
  return deviceId === null ? undefined : rules.product(deviceId);
}
