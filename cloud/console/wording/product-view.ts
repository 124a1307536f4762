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

export function passStateOf(product: ProductFacts): PassState {
  const state = product.barrier?.state ?? blockOf(product)?.state;
  if (state === 'opened') return 'passable';
  if (state === 'closed') return 'blocked';
  return state === 'error' ? 'error' : 'unknown';
}

/** What the product itself reports; null: no error. */
export function errorOf({ product_error }: ProductFacts): ProductErrorName | null {
  if (product_error === null) return null;
  return PRODUCT_ERRORS.find((name) => product_error[name] === 1) ?? 'other';
}

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
