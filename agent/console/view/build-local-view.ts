/** Builds the document that the gateway's own page shows, from the gateway's memory. */
import { MINUTE_MS } from '../../../shared/durations.js';
import type { CameraItem, ProductItem } from '../../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { PRODUCT_ERRORS } from '../../../shared/wording/gate-sentences.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { GatewayStatus } from '../../health/status.js';
import type {
  CameraView,
  LocalActionView,
  LocalView,
  PassState,
  ProductView,
  ReadView,
  SightingView,
} from './local-view.js';

const MEGABYTE = 1_048_576;
const POSITION_OF_NOBODY = 'both';

/** A sighting as it is remembered. `can_be_let_in_ms`: until when; null: no more. */
export interface RememberedSighting extends Omit<SightingView, 'camera' | 'product'> {
  camera_device_id: string;
}

export interface LocalViewSources {
  status: GatewayStatus;
  reports: readonly ProductReport[];
  isMoving(deviceId: ProductDeviceId): boolean;
  rules: Pick<AccessRules, 'gateway' | 'camera' | 'product'>;
  /** The last read of each camera that had one since the agent started, by its device_id. */
  lastReads: ReadonlyMap<string, ReadView>;
  /** The newest first. */
  sightings: readonly RememberedSighting[];
  actions: readonly LocalActionView[];
}

export function buildLocalView(sources: LocalViewSources): LocalView {
  const { status, rules } = sources;
  const nowMs = Date.parse(status.clock.now);
  const { radio, store, cloud } = status;
  return {
    version: status.version,
    uuid: status.uuid,
    name: status.name,
    lot: status.lot,
    timezone: rules.gateway()?.timezone ?? null,
    started_at: minuteOf(nowMs - status.uptime_s * 1_000),
    cloud: { url: cloud.url, is_connected: cloud.connected, since: cloud.since },
    clock: { is_known: status.clock.known },
    radio: {
      state: radio.state,
      adapters: radio.adapters.map(({ name, state }) => ({ name, state })),
      last_recovery: lastRecovery(radio),
    },
    queue: { pending: status.outbox.pending },
    store: { megabytes: Math.round(store.bytes / MEGABYTE), failed: store.failed, put_aside: store.quarantined },
    products: productViews(sources, nowMs),
    cameras: status.cameras.map((camera) => cameraView(camera, sources)),
    sightings: sources.sightings.map((sighting) => sightingView(sighting, rules)),
    parking_gateways: status.parking_gateways.map(({ name, driver, status: presence, fault, places }) => ({
      name,
      driver,
      status: presence,
      fault,
      places: places.map((place) => ({ name: place.name, occupancy: place.occupancy, is_silent: place.is_stale })),
    })),
    displays: status.displays.map(({ name, driver, text, fault }) => ({ name, driver, text, fault })),
    actions: [...sources.actions],
  };
}

/** Rounds to the minute: a time measured by a clock of its own would otherwise change with each look. */
const minuteOf = (ms: number): string => new Date(Math.round(ms / MINUTE_MS) * MINUTE_MS).toISOString();

function lastRecovery({ last_recovery: last }: GatewayStatus['radio']): LocalView['radio']['last_recovery'] {
  return last === null ? null : { adapter: last.adapter, step: last.step, reason: last.reason };
}

function productViews({ status, reports, isMoving }: LocalViewSources, nowMs: number): ProductView[] {
  const reportOf = new Map<string, ProductReport>(reports.map((report) => [report.device_id, report]));
  return status.products.map((product) => {
    const report = reportOf.get(product.device_id);
    const held = report?.permanent_position ?? 'disabled';
    const isLost = product.status === 'offline' && product.seen_ago_s !== null;
    return {
      device_id: product.device_id,
      name: product.name,
      type: product.type,
      is_paired: product.paired,
      state: stateOf(product, report !== undefined && isMoving(report.device_id)),
      status: product.status,
      held: held === 'disabled' ? null : held,
      is_car_on_top: report?.is_car_on_top ?? false,
      errors: PRODUCT_ERRORS.filter((name) => product.errors.includes(name)),
      rssi: product.rssi,
      battery: product.battery,
      lost_at: isLost ? minuteOf(nowMs - (product.seen_ago_s ?? 0) * 1_000) : null,
      acts_alone_days: product.credential_days_left,
      is_credential_low: product.is_credential_low,
      clock_off_s: product.clock_off_s,
    };
  });
}

function stateOf({ state, passage }: GatewayStatus['products'][number], moves: boolean): PassState {
  if (moves) return 'moving';
  return state === 'error' ? 'error' : passage;
}

function cameraView(
  camera: GatewayStatus['cameras'][number],
  { rules, lastReads }: Pick<LocalViewSources, 'rules' | 'lastReads'>,
): CameraView {
  const { device_id, clock_is_drifting, clock_behind_s } = camera;
  const item = rules.camera(device_id);
  return {
    device_id,
    name: camera.name,
    driver: camera.driver,
    position: item?.lpr_position ?? POSITION_OF_NOBODY,
    status: camera.status,
    last_seen: camera.last_seen,
    clock_behind_s: clock_is_drifting ? clock_behind_s : null,
    push_without_key: camera.push_without_key,
    problem: camera.problem,
    product: productOf(item, rules)?.name ?? null,
    last_read: lastReads.get(device_id) ?? null,
  };
}

function sightingView(
  { camera_device_id, ...sighting }: RememberedSighting,
  rules: LocalViewSources['rules'],
): SightingView {
  const camera = rules.camera(camera_device_id);
  const product = productOf(camera, rules);
  return {
    ...sighting,
    camera: camera?.name ?? camera_device_id,
    product: product === undefined ? null : { device_id: product.device_id, name: product.name },
  };
}

function productOf(camera: CameraItem | undefined, rules: LocalViewSources['rules']): ProductItem | undefined {
  const deviceId = camera?.product_device_id ?? null;
  return deviceId === null ? undefined : rules.product(deviceId);
}
