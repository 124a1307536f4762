/** Judges radio, products, sensors and displays by what the gateway knows of them. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';
import { namesOf, troublesOfProduct } from '../../shared/troubles/equipment-troubles.js';
import type { ProductFault, Trouble } from '../../shared/troubles/trouble.js';
import { productFacts } from '../health/decide-own-troubles.js';
import type { GatewayStatus } from '../health/status.js';

const WEAK_DBM = -85;
const HEALED_WITHIN_S = 3_600;

type RadioState = 'off' | 'unavailable' | 'on';

export interface RadioFacts {
  state: RadioState;
  adapters: readonly { name: string; state: RadioState }[];
  last_recovery: { adapter: string; step: string; ago_s: number } | null;
  /** The program that has Bluetooth open while no adapter works for the gateway; null: none is known. */
  holder: string | null;
}

export function decideRadio(radio: RadioFacts, productCount: number): Finding[] {
  const { state, adapters, last_recovery: last, holder } = radio;
  if (productCount === 0 && state !== 'on') return [found('radio.unneeded', null, {})];
  if (state === 'off') return [found('radio.off', null, {})];
  if (state === 'unavailable' && holder !== null) return [found('radio.held', null, { program: holder })];
  if (state === 'unavailable') return [found('radio.unavailable', null, {})];
  const gone = adapters.filter((each) => each.state !== 'on');
  const problems = [
    ...gone.map(({ name }) => found('radio.adapter_gone', null, { adapter: name })),
    ...(last !== null && last.ago_s < HEALED_WITHIN_S
      ? [found('radio.healed', last.adapter, { step: last.step, ago_s: last.ago_s })]
      : []),
  ];
  if (problems.length > 0) return problems;
  return [found('radio.ok', null, { adapters: adapters.map(({ name }) => name).join(', ') || null })];
}

export type ProductFacts = Pick<
  GatewayStatus['products'][number],
  | 'name'
  | 'paired'
  | 'status'
  | 'state'
  | 'permanent_position'
  | 'key_fault'
  | 'errors'
  | 'rssi'
  | 'battery'
  | 'seen_ago_s'
  | 'credential_days_left'
  | 'is_credential_low'
  | 'clock_off_s'
> & {
  /** The names of the lot's other gateways, one of which may be the one that hears it; null: there are none, or a camera of this one opens it. */
  elsewhere: string | null;
};

export function decideProduct(product: ProductFacts): Finding[] {
  const { name, paired, status, rssi, seen_ago_s: seen_s, credential_days_left: days } = product;
  // Its times are not shown here, and a gateway that was only just started is looked at all the same.
  const troubles = troublesOfProduct(productFacts(product, { nowMs: 0, startedMs: 0 }), 0);
  const problems = troubles.flatMap((trouble) => findingOf(trouble, product) ?? []);
  if (!paired || product.key_fault === 'none') return problems;
  if (status === 'online') {
    if (product.permanent_position === 'stay_open') problems.push(found('product.held_open', name, {}));
    if (product.permanent_position === 'stay_close') problems.push(found('product.held_closed', name, {}));
    if (rssi !== null && rssi < WEAK_DBM) problems.push(found('product.weak', name, { rssi }));
  }
  if (days === 0) problems.push(found('product.credential_ended', name, {}));
  else if (product.is_credential_low) problems.push(found('product.credential_low', name, { days }));
  if (problems.length > 0) return problems;
  if (days === null) return [found('product.days_unknown', name, { rssi, seen_s })];
  return [found('product.ok', name, { rssi, seen_s, days })];
}

function findingOf({ kind, facts }: Trouble, { name, seen_ago_s, elsewhere }: ProductFacts): Finding | null {
  switch (kind) {
    case 'product_unpaired':
      return found('product.unpaired', name, {});
    case 'product_error':
      return errorFinding(name, facts.error);
    case 'product_other_key':
      return found(facts.fault === 'other' ? 'product.other_key' : 'product.key_refused', name, {});
    case 'product_unheard':
    case 'awaited':
      if (elsewhere !== null) return found('product.elsewhere_unknown', name, { gateways: elsewhere });
      return seen_ago_s === null
        ? found('product.never_seen', name, {})
        : found('product.lost', name, { seen_s: seen_ago_s });
    case 'battery_low':
      return found('product.battery_low', name, { percent: facts.percent });
    case 'product_clock_wrong':
      return found('product.clock_wrong', name, { off_s: facts.off_s });
    default:
      return null;
  }
}

/** Each with its own advice, where somebody can do something at once. */
function errorFinding(name: string, error: ProductFault): Finding {
  switch (error) {
    case 'jammed':
      return found('product.jammed', name, {});
    case 'sensor_dirty':
      return found('product.dirty', name, {});
    case 'rtcc_invalid':
      return found('product.no_clock', name, {});
    default:
      return found('product.error', name, { error });
  }
}

export type SensorFacts = Pick<
  GatewayStatus['parking_gateways'][number],
  'name' | 'status' | 'place_count' | 'stale_places' | 'fault'
>;

export function decideSensor({ name, status, place_count, stale_places, fault }: SensorFacts): Finding[] {
  if (place_count === 0 && fault === null) return [found('sensor.no_places', name, {})];
  if (status === 'offline')
    return [fault === null ? found('sensor.unheard', name, {}) : found('sensor.offline', name, { problem: fault })];
  const places = namesOf(stale_places);
  const problems = [
    ...(places === '' ? [] : [found('sensor.silent', name, { places })]),
    ...(fault === null ? [] : [found('sensor.fault', name, { problem: fault })]),
  ];
  return problems.length > 0 ? problems : [found('sensor.ok', name, { places: place_count })];
}

export function decideDisplay({
  name,
  text,
  fault,
}: Pick<GatewayStatus['displays'][number], 'name' | 'text' | 'fault'>): Finding {
  if (fault !== null) return found('display.fault', name, { problem: fault });
  return found(text === null ? 'display.waiting' : 'display.ok', name, {});
}

/** The decision that a plate would get now. */
export interface DryRunFacts {
  camera: string;
  plate: string;
  access_decision: 'triggered' | 'denied' | null;
  reason: string | null;
  is_zone_known: boolean;
  /** The name of the product that the camera opens; null: none. */
  product: string | null;
  is_product_known: boolean;
  is_held_closed: boolean;
}

export function decideDryRun(run: DryRunFacts): Finding[] {
  const { camera, plate, access_decision, reason, product } = run;
  const first = [
    ...(run.is_zone_known ? [] : [found('decision.no_zone', camera, {})]),
    ...(run.is_product_known ? [] : [found('decision.no_product', camera, { product })]),
  ];
  if (access_decision === null) return [...first, found('decision.undecided', camera, { plate })];
  if (access_decision === 'denied') return [...first, found('decision.denies', camera, { plate, reason })];
  if (product === null || !run.is_product_known) return [...first, found('decision.admits', camera, { plate, reason })];
  if (run.is_held_closed) return [...first, found('decision.held_closed', camera, { plate, product })];
  return [...first, found('decision.opens', camera, { plate, reason, product })];
}
