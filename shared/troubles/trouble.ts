/** The kinds of troubles that need a person, in their order, and the facts of each. Pure. */

/**
 * The kinds in the order of their urgency: nothing can be relied on, nobody passes, nobody decides, nobody sees, nobody is
 * informed, and what is to come. The last one needs nobody yet.
 */
export const TROUBLE_KINDS = [
  'lot_released',
  'store_failed',
  'radio_off',
  'product_error',
  'product_unpaired',
  'credential_over',
  'product_unheard',
  'product_other_key',
  'gateway_alone',
  'not_configured',
  'clock_wrong',
  'camera_silent',
  'camera_fault',
  'sensors_silent',
  'sensors_fault',
  'places_silent',
  'display_stale',
  'counts_apart',
  'webhook_off',
  'webhook_failing',
  'mails_failing',
  'queue_old',
  'credential_low',
  'battery_low',
  'product_clock_wrong',
  'camera_clock_wrong',
  'awaited',
] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

export type ProductFault =
  | 'jammed'
  | 'pin_broken'
  | 'sensor_dirty'
  | 'battery_empty'
  | 'rtcc_invalid'
  | 'master_key_not_set'
  | 'other';
/**
 * A fault of a product's key: the product is heard under its name, but what it sends is proven by another key (`other`); it refuses
 * the gateway's credential (`refused`); it has none any more (`none`).
 */
export type KeyFault = 'other' | 'refused' | 'none';
export type RadioState = 'on' | 'off' | 'unavailable';

/** The facts in the sentence of each kind, beside the name of the thing. */
export interface TroubleFacts {
  /** `by` null: not known. */
  lot_released: { by: string | null };
  store_failed: object;
  /** Those that do not work; none: all Bluetooth does not. */
  radio_off: { state: RadioState; adapters: readonly { name: string; state: RadioState }[] };
  product_error: { error: ProductFault };
  /** Whether it had a key before: one that was never paired is still being set up. */
  product_unpaired: { was_paired: boolean };
  credential_over: object;
  /** Whether it was ever heard. */
  product_unheard: { was_heard: boolean };
  /** It is near, but does not obey: by whichever sign. */
  product_other_key: { fault: 'other' | 'refused' };
  gateway_alone: { was_connected: boolean };
  not_configured: object;
  /** Seconds that it is ahead; null: not known. */
  clock_wrong: { off_s: number | null };
  camera_silent: { problem: string | null };
  camera_fault: { problem: string };
  sensors_silent: { problem: string | null };
  sensors_fault: { problem: string };
  /** The names of the places, some of many; why their sensors cannot be heard, if that is known. */
  places_silent: { count: number; places: string; problem: string | null };
  display_stale: { problem: string | null };
  counts_apart: { sensors: number | null; sessions: number };
  webhook_off: object;
  /** null: nobody answered. */
  webhook_failing: { status: number | null };
  mails_failing: { count: number };
  queue_old: object;
  credential_low: { days: number };
  battery_low: { percent: number };
  product_clock_wrong: { off_s: number };
  /** Seconds that it is behind. */
  camera_clock_wrong: { off_s: number };
  awaited: object;
}

/** The kinds of things that a trouble can be about. */
export type SubjectKind =
  | 'lot'
  | 'zone'
  | 'gateway'
  | 'product'
  | 'camera'
  | 'parking_gateway'
  | 'display'
  | 'webhook'
  | 'mails';

export interface Subject {
  kind: SubjectKind;
  /** As the page knows it; empty: there is only one. */
  id: number | string;
  name: string;
}

interface TroubleOf<Kind extends TroubleKind> {
  kind: Kind;
  about: Subject;
  /** Wall milliseconds; null: not known. */
  since_ms: number | null;
  facts: TroubleFacts[Kind];
}

export type Trouble = { [Kind in TroubleKind]: TroubleOf<Kind> }[TroubleKind];

/** Kinds of what is to come: since when it is so says nothing. */
const AGELESS: ReadonlySet<TroubleKind> = new Set(['credential_low', 'battery_low']);

export const hasAge = ({ kind }: Trouble): boolean => !AGELESS.has(kind);

/** Says whether somebody has to act: a thing that was only just set up, or never paired, is waited for. */
export const needsPerson = ({ kind, facts }: Trouble): boolean =>
  kind === 'product_unpaired' ? facts.was_paired : kind !== 'awaited';

/** The position of a trouble's kind: the lower, the more urgent. */
export const urgencyOf = ({ kind }: Trouble): number => TROUBLE_KINDS.indexOf(kind);

/** Orders troubles: the most urgent first, of equal kinds the oldest. */
export const byUrgency = (a: Trouble, b: Trouble): number =>
  urgencyOf(a) - urgencyOf(b) || (a.since_ms ?? Infinity) - (b.since_ms ?? Infinity) || 0;

/** Makes a trouble of a kind with its facts. */
export const trouble = <Kind extends TroubleKind>(
  kind: Kind,
  about: Subject,
  facts: TroubleFacts[Kind],
  since_ms: number | null = null,
): TroubleOf<Kind> => ({ kind, about, since_ms, facts });
