/** What needs a person in a lot, the worst first. */
import type { ConsoleWords } from './en.js';
import { errorOf, type ProductFacts } from './product-view.js';

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
  radio: { adapters: readonly { name: string; state: keyof ConsoleWords['devices']['radioStates'] }[] };
}

export interface CameraFacts {
  id: number;
  name: string;
  zone_id: number;
  status: string;
  last_seen: string | null;
}

export interface LotFacts {
  /** For how many days its gateways may act without the cloud; null: not known. */
  autonomy_days: number | null;
  products: readonly ProductFacts[];
  gateways: readonly GatewayFacts[];
  /** By the gateway's id; missing while it is not known. */
  healths: ReadonlyMap<number, HealthFacts>;
  cameras: readonly CameraFacts[];
}

/** The kinds in the order of their urgency: nobody passes, then nobody decides, nobody sees, and what is to come. */
const KINDS = [
  'product_error',
  'product_unheard',
  'gateway_alone',
  'radio_off',
  'camera_silent',
  'queue_old',
  'token_low',
  'battery_low',
] as const;

export interface Trouble {
  kind: (typeof KINDS)[number];
  sentence: string;
  /** What the button beside it leads to. */
  about: { product: number } | { camera: number } | { gateway: number };
}

const QUEUE_OLD_MS = 5 * 60_000;
const BATTERY_LOW_PERCENT = 20;

/** @param timeOf writes an ISO datetime for people. @param now milliseconds since 1970 */
export function troublesOf(
  { autonomy_days, products, gateways, healths, cameras }: LotFacts,
  words: ConsoleWords,
  { timeOf, now }: { timeOf: (iso: string) => string; now: number },
): Trouble[] {
  const say = words.troubles;
  const found: Trouble[] = [];
  for (const product of products) {
    const { id, name, status, battery_status } = product;
    const about = { product: id };
    const error = errorOf(product);
    if (error !== null)
      found.push({ kind: 'product_error', sentence: say.productError(name, words.productErrors[error]), about });
    if (status === 'offline') found.push({ kind: 'product_unheard', sentence: say.productUnheard(name), about });
    if (battery_status !== null && battery_status <= BATTERY_LOW_PERCENT)
      found.push({ kind: 'battery_low', sentence: say.batteryLow(name, battery_status), about });
  }
  for (const { id, name, status, last_seen, claimed_at } of gateways) {
    if (claimed_at === null) continue;
    const about = { gateway: id };
    const health = healths.get(id);
    const since = health?.alone_since ?? last_seen;
    if (status === 'offline' && since !== null)
      found.push({ kind: 'gateway_alone', sentence: say.gatewayAlone(name, timeOf(since)), about });
    // What a gateway that is away last said of its adapters is no news.
    const off = status === 'offline' ? [] : (health?.radio.adapters ?? []).filter(({ state }) => state !== 'on');
    if (off.length > 0) {
      const adapters = off.map((each) => `${each.name} ${words.devices.radioStates[each.state]}`).join(', ');
      found.push({ kind: 'radio_off', sentence: say.radioOff(name, adapters), about });
    }
    const oldest = health?.queue.oldest_at ?? null;
    if (oldest !== null && now - Date.parse(oldest) > QUEUE_OLD_MS)
      found.push({ kind: 'queue_old', sentence: say.queueOld(name, timeOf(oldest)), about });
    const days = health?.token_days_left ?? null;
    // Credentials are renewed every day: half of their time is only gone after as many days without it.
    if (days !== null && autonomy_days !== null && days < autonomy_days / 2)
      found.push({ kind: 'token_low', sentence: say.tokenLow(name, days), about });
  }
  for (const { id, name, status, last_seen } of cameras) {
    if (status === 'online') continue;
    const since = last_seen === null ? null : timeOf(last_seen);
    found.push({ kind: 'camera_silent', sentence: say.cameraSilent(name, since), about: { camera: id } });
  }
  return found.sort(byUrgency);
}

const rankOf = ({ kind }: Trouble): number => KINDS.indexOf(kind);
const byUrgency = (a: Trouble, b: Trouble): number => rankOf(a) - rankOf(b);

/** Puts lots in order: the one with the worst trouble first, of equal ones that with more, then by name. */
export function worstFirst<Lot extends { name: string; troubles: readonly Trouble[] }>(lots: readonly Lot[]): Lot[] {
  const worst = ({ troubles: [first] }: Lot) => (first === undefined ? KINDS.length : rankOf(first));
  return lots.toSorted(
    (a, b) => worst(a) - worst(b) || b.troubles.length - a.troubles.length || a.name.localeCompare(b.name),
  );
}
