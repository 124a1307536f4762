/** Decides what a request means for this product: the command that it becomes, or the field that is wrong. */
import { productTypeOf } from '../../../shared/ids.js';
import type { ProductCommandPayload, ProductOperation } from '../../../shared/uplink-orders.js';
import type { Row } from '../../kernel/store/entry.js';

/** A product as the cloud knows it. */
export interface CommandProduct {
  product: Pick<Row<'products'>, 'id' | 'product_type_id' | 'seen_at'>;
  /** null: its state is not known. */
  block: Pick<
    Row<'product_blocks'>,
    'permanent_position' | 'is_autoclose' | 'autoclose_setting' | 'autoclose_time'
  > | null;
}

/** A barrier has the first two, every other kind has the last one. At least one is given. */
export interface ProductSettings {
  is_autoclose?: 0 | 1 | undefined;
  /** Seconds, 1..255. */
  autoclose_time?: number | undefined;
  permanent_position?: 'disabled' | 'stay_open' | 'stay_close' | undefined;
}

export type CommandDecision = { command: ProductCommandPayload } | { problem: { field: string; message: string } };

/** The time for which a reported state counts as known. */
export interface KnownWithin {
  /** Wall milliseconds. */
  now: number;
  withinMs: number;
}

const AUTOCLOSE_DEFAULT_S = 10;

/** A clear needs the permanent position that it clears. When the last known state is old, the product decides instead. */
export function decideOperation(of: CommandProduct, operation: ProductOperation, known: KnownWithin): CommandDecision {
  if (operation !== 'clear_stay_open' && operation !== 'clear_stay_close') return { command: { name: operation } };
  const cleared = operation === 'clear_stay_open' ? 'stay_open' : 'stay_close';
  if (of.block === null || !isFresh(of, known) || of.block.permanent_position === cleared) {
    return { command: { name: operation } };
  }
  return { problem: { field: 'operation', message: `${cleared} is not set` } };
}

/** A setting that the request does not name is sent with its present value. */
export function decideSettings(of: CommandProduct, settings: ProductSettings, known: KnownWithin): CommandDecision {
  const { block } = of;
  if (productTypeOf(of.product.product_type_id) === 'barrier') {
    const setting = block?.autoclose_setting ?? block?.is_autoclose ?? 0;
    const seconds = settings.autoclose_time ?? block?.autoclose_time ?? 0;
    const on = (settings.is_autoclose ?? setting) === 1;
    return { command: { name: 'autoclose', on, seconds: seconds === 0 ? AUTOCLOSE_DEFAULT_S : seconds } };
  }
  if (settings.permanent_position !== 'disabled') {
    return { command: { name: settings.permanent_position === 'stay_close' ? 'stay_close' : 'stay_open' } };
  }
  if (block?.permanent_position === 'stay_close') return { command: { name: 'clear_stay_close' } };
  // When the state is old, nobody knows which permanent position holds now; by far the most common one is open.
  if (block === null || !isFresh(of, known) || block.permanent_position === 'stay_open') {
    return { command: { name: 'clear_stay_open' } };
  }
  return { problem: { field: 'permanent_position', message: 'It is disabled already' } };
}

function isFresh({ product }: CommandProduct, { now, withinMs }: KnownWithin): boolean {
  return product.seen_at !== null && now - product.seen_at <= withinMs;
}
