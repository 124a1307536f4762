/** What needs a person in a lot and in its account: the facts that REST gives, for the rules of `shared/troubles`. Pure. */
import {
  type MailTroubleFacts,
  troublesOfLot as ofLot,
  troublesOfMails,
  troublesOfWebhook,
  troublesOfZone,
} from '../../../shared/troubles/account-troubles.js';
import {
  troublesOfCamera,
  troublesOfDisplay,
  troublesOfProduct,
  troublesOfSensors,
} from '../../../shared/troubles/equipment-troubles.js';
import { troublesOfGateway } from '../../../shared/troubles/gateway-troubles.js';
import { isCredentialLow } from '../../../shared/troubles/rules.js';
import {
  byUrgency,
  needsPerson,
  type RadioState,
  type Trouble,
  TROUBLE_KINDS,
  urgencyOf,
} from '../../../shared/troubles/trouble.js';
import { errorsOf, isInError, type ProductFacts } from './product-view.js';

export interface LotRecord {
  id: number;
  name: string;
  /** For how many days its gateways may act without the cloud. */
  autonomy_days: number;
  released_at: string | null;
  released_by: string | null;
}

export interface GatewayFacts {
  id: number;
  name: string;
  lot_id: number | null;
  status: string;
  last_seen: string | null;
  claimed_at: string | null;
}

/** Of `GET /v2/gateways/{id}/health`. */
export interface HealthFacts {
  alone_since: string | null;
  token_days_left: number | null;
  queue: { depth: number | null; oldest_at: string | null };
  radio: { state: RadioState | null; adapters: readonly { name: string; state: RadioState }[] };
  clock: { is_ok: number | null; offset_ms: number | null };
  store: { is_ok: number | null };
}

export interface CameraFacts {
  id: number;
  name: string;
  zone_id: number;
  status: string;
  problem: string | null;
  last_seen: string | null;
  created_at: string;
}

export interface ZoneFacts {
  id: number;
  name: string;
  counts: { sensors: number | null; sessions: number; drift_since: string | null };
}

export interface SensorsFacts {
  id: number;
  name: string;
  lot_id: number;
  status: string;
  problem: string | null;
  last_seen: string | null;
  created_at: string;
}

export interface PlaceFacts {
  id: number;
  name: string | null;
  parking_gateway_id: number | null;
  stale_since: string | null;
}

export interface DisplayFacts {
  id: number;
  name: string;
  lot_id: number | null;
  /** Of `GET /v2/rgb-displays/{id}/shown`. */
  shown_at: string | null;
  is_stale: number;
  created_at: string;
}

export interface LotFacts {
  lot: LotRecord;
  products: readonly ProductFacts[];
  gateways: readonly GatewayFacts[];
  /** By the gateway's id; missing while it is not known. */
  healths: ReadonlyMap<number, HealthFacts>;
  cameras: readonly CameraFacts[];
  zones: readonly ZoneFacts[];
  sensors: readonly SensorsFacts[];
  /** Those whose sensor is silent. */
  silentPlaces: readonly PlaceFacts[];
  displays: readonly DisplayFacts[];
}

const msOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** Lists the troubles of a lot, the most urgent first. @param now milliseconds since 1970 */
export function troublesOf(facts: LotFacts, now: number): Trouble[] {
  const { lot, products, gateways, cameras, zones, sensors, displays } = facts;
  return [
    ofLot({ id: lot.id, name: lot.name, released_ms: msOf(lot.released_at), released_by: lot.released_by }),
    products.flatMap((product) => productTroubles(product, now)),
    gateways.flatMap((gateway) => gatewayTroubles(gateway, facts, now)),
    cameras.flatMap((camera) => troublesOfCamera({ ...heardOf(camera), clock_behind_s: null }, now)),
    zones.flatMap(({ id, name, counts }) =>
      troublesOfZone({ id, name, ...counts, drift_since_ms: msOf(counts.drift_since) }),
    ),
    sensors.flatMap((each) => sensorTroubles(each, facts, now)),
    displays.flatMap((display) => displayTroubles(display, now)),
  ]
    .flat()
    .sort(byUrgency);
}

const heardOf = <Thing extends { status: string; last_seen: string | null; created_at: string }>(thing: Thing) => ({
  ...thing,
  is_online: thing.status === 'online',
  heard_ms: msOf(thing.last_seen),
  expected_ms: Date.parse(thing.created_at),
});

const productTroubles = (product: ProductFacts, now: number): Trouble[] =>
  troublesOfProduct(
    {
      ...heardOf(product),
      is_paired: product.is_paired === 1,
      // A key is never removed: one without a key has had none since it was made.
      unpaired_since_ms: product.is_paired === 1 ? null : Date.parse(product.created_at),
      is_in_error: isInError(product),
      errors: errorsOf(product),
      errors_since_ms: msOf(product.product_error?.created_at ?? null),
      battery: product.battery_status,
      clock_off_s: null,
      key_fault: null,
    },
    now,
  );

function gatewayTroubles(gateway: GatewayFacts, { lot, products, healths }: LotFacts, now: number): Trouble[] {
  const { id, name, claimed_at, status, last_seen } = gateway;
  if (claimed_at === null) return [];
  const health = healths.get(id);
  const days = health?.token_days_left ?? null;
  return troublesOfGateway(
    {
      id,
      name,
      is_online: status === 'online',
      online_ms: msOf(health?.alone_since ?? last_seen),
      expected_ms: Date.parse(claimed_at),
      is_configured: null,
      has_products: products.length > 0,
      is_health_new: status === 'online',
      health:
        health === undefined
          ? null
          : {
              is_store_failed: health.store.is_ok === 0,
              radio: health.radio,
              oldest_record_ms: msOf(health.queue.oldest_at),
              is_clock_ok: health.clock.is_ok === null ? null : health.clock.is_ok === 1,
              clock_off_ms: health.clock.offset_ms,
              credentials: days === null ? null : { days, is_low: isCredentialLow(days, lot.autonomy_days) },
            },
    },
    now,
  );
}

const sensorTroubles = (sensors: SensorsFacts, { silentPlaces }: LotFacts, now: number): Trouble[] =>
  troublesOfSensors(
    {
      ...heardOf(sensors),
      silent: silentPlaces
        .filter(({ parking_gateway_id }) => parking_gateway_id === sensors.id)
        .map(({ id, name, stale_since }) => ({ name: name ?? String(id), since_ms: msOf(stale_since) })),
    },
    now,
  );

const displayTroubles = ({ id, name, shown_at, is_stale, created_at }: DisplayFacts, now: number): Trouble[] =>
  troublesOfDisplay(
    {
      id,
      name,
      shown_ms: msOf(shown_at),
      expected_ms: Date.parse(created_at),
      is_stale: is_stale === 1,
      problem: null,
    },
    now,
  );

export interface WebhookFacts {
  id: number;
  url: string | null;
  is_active: number;
  disabled_at: string | null;
  last_status: number | null;
  /** When the last try was made that nobody answered; null: none is known. */
  unanswered_at: string | null;
}

export interface AccountFacts {
  webhooks: readonly WebhookFacts[];
  /** Those that were tried and not sent. */
  mails: readonly MailTroubleFacts[];
}

/** Lists the troubles of what the account sends, the most urgent first. */
export const troublesOfAccount = ({ webhooks, mails }: AccountFacts, now: number): Trouble[] =>
  [
    webhooks.flatMap(({ id, url, is_active, disabled_at, last_status, unanswered_at }) =>
      troublesOfWebhook({
        id,
        name: hostOf(url) ?? `#${id}`,
        is_active: is_active === 1,
        disabled_ms: msOf(disabled_at),
        last_status,
        unanswered_ms: msOf(unanswered_at),
      }),
    ),
    troublesOfMails(mails, now),
  ]
    .flat()
    .sort(byUrgency);

/** An address may hold a secret: its host says whose it is. */
function hostOf(url: string | null): string | null {
  try {
    return url === null ? null : new URL(url).host;
  } catch {
    return url;
  }
}

/** Puts lots in order: the one with the most urgent trouble first, of equal ones that with more, then by name. */
export function worstFirst<Lot extends { name: string; troubles: readonly Trouble[] }>(lots: readonly Lot[]): Lot[] {
  const worst = ({ troubles: [first] }: Lot) => (first === undefined ? TROUBLE_KINDS.length : urgencyOf(first));
  const count = ({ troubles }: Lot) => troubles.filter(needsPerson).length;
  return lots.toSorted((a, b) => worst(a) - worst(b) || count(b) - count(a) || a.name.localeCompare(b.name));
}
