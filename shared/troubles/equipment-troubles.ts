/** The troubles of what a gateway operates and hears: products, cameras, parking gateways with their sensors, displays. Pure. */
import { isAwaited, isBatteryLow } from './rules.js';
import { type KeyFault, type ProductFault, type Subject, type Trouble, trouble } from './trouble.js';

/** When a thing was heard, and since when it should be; wall milliseconds. */
interface Heard {
  /** null: it never was. */
  heard_ms: number | null;
  /** Since it was set up, or since the gateway that says so was started. */
  expected_ms: number;
}

interface Thing {
  id: number | string;
  name: string;
}

export interface ProductTroubleFacts extends Thing, Heard {
  /** Whether a gateway has paired it, or its key was given. */
  is_paired: boolean;
  /** Since when it is not; wall milliseconds. null: it is, or that is not known. */
  unpaired_since_ms: number | null;
  is_online: boolean;
  is_in_error: boolean;
  /** Each error that it reports of itself. */
  errors: readonly ProductFault[];
  /** null: not known. */
  errors_since_ms: number | null;
  /** Percent; null: not known. */
  battery: number | null;
  /** As its gateway hears it; null: nothing is known to be wrong. */
  key_fault: KeyFault | null;
  /** By how many seconds its clock is ahead, if only the cloud can set it. */
  clock_off_s: number | null;
}

export function troublesOfProduct(product: ProductTroubleFacts, nowMs: number): Trouble[] {
  const about = subjectOf('product', product);
  const { is_paired, is_online, errors_since_ms, battery, clock_off_s, key_fault } = product;
  // Only its key proves who sends under its name.
  if (!is_paired) return [trouble('product_unpaired', about, { was_paired: false }, product.unpaired_since_ms)];
  if (key_fault === 'none') return [trouble('product_unpaired', about, { was_paired: true })];
  // It is heard, and nothing that it says can be believed.
  if (key_fault === 'other') return [trouble('product_other_key', about, { fault: key_fault })];
  // A state from before it was lost counts no more.
  const isUnnamed = product.is_in_error && is_online && product.errors.length === 0;
  const errors: readonly ProductFault[] = isUnnamed ? ['other'] : product.errors;
  return [
    ...errors.map((error) =>
      error === 'master_key_not_set'
        ? trouble('product_unpaired', about, { was_paired: true }, errors_since_ms)
        : trouble('product_error', about, { error }, errors_since_ms),
    ),
    ...(key_fault === 'refused' ? [trouble('product_other_key', about, { fault: key_fault })] : []),
    ...(is_online ? [] : [unheard(product, nowMs)]),
    ...(battery !== null && isBatteryLow(battery) && !errors.includes('battery_empty')
      ? [trouble('battery_low', about, { percent: battery })]
      : []),
    ...(clock_off_s === null ? [] : [trouble('product_clock_wrong', about, { off_s: clock_off_s })]),
  ];
}

function unheard(product: ProductTroubleFacts, nowMs: number): Trouble {
  const about = subjectOf('product', product);
  const { heard_ms, expected_ms } = product;
  if (heard_ms === null && isAwaited(expected_ms, nowMs)) return trouble('awaited', about, {}, expected_ms);
  return trouble('product_unheard', about, { was_heard: heard_ms !== null }, heard_ms);
}

export interface CameraTroubleFacts extends Thing, Heard {
  /** null: not known yet. */
  is_online: boolean | null;
  problem: string | null;
  /** By how many seconds its clock is behind; null: it is right, or not known. */
  clock_behind_s: number | null;
}

export function troublesOfCamera(camera: CameraTroubleFacts, nowMs: number): Trouble[] {
  const about = subjectOf('camera', camera);
  const { is_online, problem, heard_ms, expected_ms, clock_behind_s } = camera;
  if (is_online === false) {
    if (heard_ms === null && problem === null && isAwaited(expected_ms, nowMs))
      return [trouble('awaited', about, {}, expected_ms)];
    return [trouble('camera_silent', about, { problem }, heard_ms)];
  }
  return [
    ...(problem === null ? [] : [trouble('camera_fault', about, { problem })]),
    // Reads that come late because of the clock are its problem, too: it is said once.
    ...(clock_behind_s === null || problem !== null
      ? []
      : [trouble('camera_clock_wrong', about, { off_s: clock_behind_s })]),
  ];
}

export interface SensorsTroubleFacts extends Thing, Heard {
  is_online: boolean;
  problem: string | null;
  /** The places whose sensor is silent, and since when it is; null: not known. */
  silent: readonly { name: string; since_ms: number | null }[];
}

const NAMED_MAX = 8;

/** Names things, some of many: `12, 13, 14, +9`. */
export function namesOf(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? [`+${names.length - NAMED_MAX}`] : [];
  return [...names.slice(0, NAMED_MAX), ...more].join(', ');
}

/** @param sensors a parking gateway with the sensors that report to it */
export function troublesOfSensors(sensors: SensorsTroubleFacts, nowMs: number): Trouble[] {
  const about = subjectOf('parking_gateway', sensors);
  const { is_online, problem, heard_ms, expected_ms, silent } = sensors;
  if (!is_online) {
    if (heard_ms === null && problem === null && isAwaited(expected_ms, nowMs))
      return [trouble('awaited', about, {}, expected_ms)];
    return [trouble('sensors_silent', about, { problem }, heard_ms)];
  }
  if (silent.length > 0) {
    const places = namesOf(silent.map(({ name }) => name));
    const since_ms = oldestOf(silent.map((each) => each.since_ms));
    // Why they cannot be heard is often known: it is one trouble.
    return [trouble('places_silent', about, { count: silent.length, places, problem }, since_ms)];
  }
  return problem === null ? [] : [trouble('sensors_fault', about, { problem })];
}

/** null: none is known. */
export const oldestOf = (times: readonly (number | null)[]): number | null => {
  const known = times.filter((each) => each !== null);
  return known.length === 0 ? null : Math.min(...known);
};

export interface DisplayTroubleFacts extends Thing {
  /** When it last accepted a text; null: never, or not since the gateway was started. */
  shown_ms: number | null;
  expected_ms: number;
  is_stale: boolean;
  problem: string | null;
}

/** @param display one that a gateway writes to */
export function troublesOfDisplay(display: DisplayTroubleFacts, nowMs: number): Trouble[] {
  const about = subjectOf('display', display);
  const { shown_ms, expected_ms, is_stale, problem } = display;
  if (!is_stale && problem === null) return [];
  if (shown_ms === null && problem === null && isAwaited(expected_ms, nowMs))
    return [trouble('awaited', about, {}, expected_ms)];
  return [trouble('display_stale', about, { problem }, shown_ms)];
}

const subjectOf = (kind: Subject['kind'], { id, name }: Thing): Subject => ({ kind, id, name });
