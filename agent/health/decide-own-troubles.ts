/** The troubles of this gateway that need a person, as its page, `doctor` and its measurements have them. Pure. */
import { MINUTE_MS } from '../../shared/durations.js';
import {
  type ProductTroubleFacts,
  troublesOfCamera,
  troublesOfDisplay,
  troublesOfProduct,
  troublesOfSensors,
} from '../../shared/troubles/equipment-troubles.js';
import { type GatewayHealthFacts, troublesOfGateway } from '../../shared/troubles/gateway-troubles.js';
import { byUrgency, type Trouble } from '../../shared/troubles/trouble.js';
import type { ProductStatus } from './status-rows.js';
import type { GatewayStatus } from './status.js';

/** The times of the status: wall milliseconds of now, and since when the gateway has run. */
interface Times {
  nowMs: number;
  startedMs: number;
}

/** By which the times of what is wrong at a product are found. */
export const productKey = (deviceId: string): string => `product ${deviceId}`;

/** Lists the troubles, the most urgent first. While nothing happens they stay the same. */
export function ownTroubles(status: GatewayStatus): Trouble[] {
  const nowMs = Date.parse(status.clock.now);
  const times = { nowMs, startedMs: minuteOf(nowMs - status.uptime_s * 1_000) };
  return [
    gatewayTroubles(status, times),
    status.products.flatMap((product) => {
      const errors_since_ms = agoMs(status.wrong_for_s[productKey(product.device_id)] ?? null, times);
      return troublesOfProduct({ ...productFacts(product, times), errors_since_ms }, nowMs);
    }),
    status.cameras.flatMap((camera) => cameraTroubles(camera, times)),
    status.parking_gateways.flatMap((gateway) => sensorTroubles(gateway, times)),
    status.displays.flatMap((display) => displayTroubles(display, times)),
  ]
    .flat()
    .sort(byUrgency);
}

/** Rounds to the minute: a time measured by a clock of its own would otherwise change with each look. */
export const minuteOf = (ms: number): number => Math.round(ms / MINUTE_MS) * MINUTE_MS;

const agoMs = (ago_s: number | null, { nowMs }: Times): number | null =>
  ago_s === null ? null : minuteOf(nowMs - ago_s * 1_000);

const timeOrNull = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

function gatewayTroubles(status: GatewayStatus, times: Times): Trouble[] {
  const { nowMs, startedMs } = times;
  const since = (key: string) => agoMs(status.wrong_for_s[key] ?? null, times);
  const { cloud, name, uuid, products, store, radio, clock } = status;
  const health: GatewayHealthFacts = {
    is_store_failed: store.failed !== null,
    radio: { state: radio.state, adapters: radio.adapters },
    // How long the queue waits is asked of the store, by `doctor` alone.
    oldest_record_ms: null,
    is_clock_ok: clock.known,
    since_ms: { store: since('store'), radio: since('radio'), clock: since('clock') },
    clock_off_ms: null,
    credentials: credentialsOf(products),
  };
  const gateway = {
    id: uuid,
    name: name ?? uuid,
    is_online: cloud.connected,
    online_ms: timeOrNull(cloud.since),
    expected_ms: startedMs,
    is_configured: name !== null,
    has_products: products.length > 0,
    health,
    is_health_new: true,
  };
  return cloud.url === null ? [] : troublesOfGateway(gateway, nowMs);
}

/** Finds the credentials that end first. */
function credentialsOf(products: readonly ProductStatus[]): GatewayHealthFacts['credentials'] {
  const days = products.flatMap(({ credential_days_left: left }) => left ?? []);
  const is_low = products.some((product) => product.is_credential_low);
  return days.length === 0 ? null : { days: Math.min(...days), is_low };
}

/** The facts of a product that `doctor` judges, too. */
export type JudgedProduct = Omit<
  ProductStatus,
  | 'device_id'
  | 'type'
  | 'passage'
  | 'problem'
  | 'rssi'
  | 'credential_days_left'
  | 'is_credential_low'
  | 'permanent_position'
> & { device_id?: string };

export function productFacts(product: JudgedProduct, times: Times): ProductTroubleFacts {
  return {
    id: product.device_id ?? product.name,
    name: product.name,
    is_paired: product.paired,
    unpaired_since_ms: null,
    is_online: product.status === 'online',
    is_in_error: product.state === 'error',
    errors: product.errors,
    errors_since_ms: null,
    battery: product.battery,
    key_fault: product.key_fault,
    clock_off_s: product.clock_off_s,
    heard_ms: agoMs(product.seen_ago_s, times),
    expected_ms: times.startedMs,
  };
}

const cameraTroubles = (camera: GatewayStatus['cameras'][number], { nowMs, startedMs }: Times): Trouble[] =>
  troublesOfCamera(
    {
      id: camera.device_id,
      name: camera.name,
      is_online: camera.status === null ? null : camera.status === 'online',
      problem: camera.problem,
      clock_behind_s: camera.clock_is_drifting ? camera.clock_behind_s : null,
      heard_ms: timeOrNull(camera.last_seen),
      expected_ms: startedMs,
    },
    nowMs,
  );

function sensorTroubles(gateway: GatewayStatus['parking_gateways'][number], times: Times): Trouble[] {
  const heard = gateway.places.map(({ heard_ago_s }) => agoMs(heard_ago_s, times)).filter((each) => each !== null);
  return troublesOfSensors(
    {
      id: gateway.name,
      name: gateway.name,
      is_online: gateway.status === 'online',
      problem: gateway.fault,
      silent: gateway.places
        .filter(({ is_stale }) => is_stale)
        .map(({ name, heard_ago_s }) => ({ name, since_ms: agoMs(heard_ago_s, times) })),
      heard_ms: heard.length === 0 ? null : Math.max(...heard),
      expected_ms: times.startedMs,
    },
    times.nowMs,
  );
}

const displayTroubles = (display: GatewayStatus['displays'][number], times: Times): Trouble[] =>
  troublesOfDisplay(
    {
      id: display.name,
      name: display.name,
      shown_ms: agoMs(display.shown_ago_s, times),
      expected_ms: times.startedMs,
      is_stale: display.fault !== null,
      problem: display.fault,
    },
    times.nowMs,
  );
