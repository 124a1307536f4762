/** What a product's record says to people. `opened` and `closed` are the product's own words; people read whether they can pass. */
import { isClosing } from '../../../shared/product-protocol/commands.js';
import { PRODUCT_ERRORS } from '../../../shared/wording/gate-sentences.js';
import type { ConsoleWords } from './en.js';

/** The part of a product's record that is shown. */
export interface ProductFacts {
  id: number;
  name: string;
  lot_id: number | null;
  product_type_id: number;
  status: string;
  is_paired: number;
  /** When a gateway last heard it. */
  last_seen: string | null;
  created_at: string;
  battery_status: number | null;
  rssi: number | null;
  product_error: ProductErrorFacts | null;
  barrier?: { state: string; is_car_on_top: number } | undefined;
  gate?: BlockFacts | undefined;
  chain?: BlockFacts | undefined;
  bollard?: BlockFacts | undefined;
  brain?: BlockFacts | undefined;
}

interface BlockFacts {
  state: string;
  permanent_position: string;
}

interface ProductErrorFacts {
  created_at: string;
  jammed: number;
  pin_broken: number;
  sensor_dirty: number;
  battery_empty: number;
  rtcc_invalid: number;
  master_key_not_set: number;
}

export type PassState = keyof ConsoleWords['states'];
export type Operation = keyof ConsoleWords['operations'];
export type ProductErrorName = keyof ConsoleWords['productErrors'];

const blockOf = ({ gate, chain, bollard, brain }: ProductFacts): BlockFacts | undefined =>
  gate ?? chain ?? bollard ?? brain;

/** Whether it ends, for this product, that it is held open in an emergency. */
export const endsHold = (operation: Operation): boolean => isClosing(operation) || operation === 'clear_stay_open';

const PASS_STATES: Readonly<Record<string, PassState>> = { opened: 'passable', closed: 'blocked', error: 'error' };

const reportedState = (product: ProductFacts): string => product.barrier?.state ?? blockOf(product)?.state ?? '';

/** How it is now: of one that no gateway hears nobody knows. */
export const passStateOf = (product: ProductFacts): PassState =>
  product.status === 'online' ? (PASS_STATES[reportedState(product)] ?? 'unknown') : 'unknown';

/** How a product was that no gateway hears any more; null: it is heard, or never was, or did not say. */
export function formerStateOf(product: ProductFacts): { state: 'passable' | 'blocked'; at: string } | null {
  const { status, last_seen } = product;
  const state = PASS_STATES[reportedState(product)];
  if (status === 'online' || last_seen === null || (state !== 'passable' && state !== 'blocked')) return null;
  return { state, at: last_seen };
}

/** Whether it cannot be opened until it is paired: the service has no key of it, or it has none itself. */
export const isUnpaired = ({ is_paired, product_error }: ProductFacts): boolean =>
  is_paired === 0 || product_error?.master_key_not_set === 1;

export const isInError = (product: ProductFacts): boolean => reportedState(product) === 'error';

/** Every error that the product itself reports, the most urgent first. */
export function errorsOf({ product_error }: ProductFacts): ProductErrorName[] {
  if (product_error === null) return [];
  const named = PRODUCT_ERRORS.filter((name) => product_error[name] === 1);
  return named.length === 0 ? ['other'] : named;
}

/** The most urgent error that the product itself reports; null: none. */
export const errorOf = (product: ProductFacts): ProductErrorName | null => errorsOf(product)[0] ?? null;

export function stayOf(product: ProductFacts): 'stay_open' | 'stay_close' | null {
  const position = blockOf(product)?.permanent_position;
  return position === 'stay_open' || position === 'stay_close' ? position : null;
}

/**
 * What can be asked of a product. Opening keeps its place whatever the state is: who presses twice must not close. A barrier does not tell whether it is held: both ends are offered, and the service knows.
 */
export function operationsOf(product: ProductFacts): Operation[] {
  const stay = stayOf(product);
  const clears: Operation[] =
    product.barrier === undefined ? (stay === null ? [] : [`clear_${stay}`]) : ['clear_stay_open', 'clear_stay_close'];
  const stays = (['stay_open', 'stay_close'] as const).filter((each) => each !== stay);
  return ['open', 'close', ...clears, ...stays, 'force_close'];
}

/** The one button of a product in a short list: what changes its state. Of one whose state is not known people want it open. */
export const rowOperationOf = (product: ProductFacts): Operation =>
  passStateOf(product) === 'passable' ? 'close' : 'open';
