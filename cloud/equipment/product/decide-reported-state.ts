/** Decides what a gateway's report, or a product's own answer, changes of a product in the cloud. */
import { productTypeOf } from '../../../shared/ids.js';
import { errorBits } from '../../../shared/product-protocol/status-block.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import type { ProductStatus } from '../../../shared/uplink.js';
import type { Row } from '../../kernel/store/entry.js';
import type { ProductView } from './lot-change-event.js';

export type ProductColumns = Pick<Row<'products'>, 'status' | 'rssi' | 'battery_status' | 'advertisement_data'>;
export type BlockColumns = Omit<Row<'product_blocks'>, 'id' | 'product_id' | 'created_at' | 'updated_at'>;
export type ErrorColumns = Omit<Row<'product_errors'>, 'id' | 'product_id' | 'created_at' | 'updated_at'>;

export interface ReportedState {
  /** null: unchanged. */
  product: ProductColumns | null;
  block: BlockColumns | null;
  error: ErrorColumns | 'none' | null;
}

const UNCHANGED: ReportedState = { product: null, block: null, error: null };

/**
 * @param recentRssi the strongest signal among the gateways that hear the product now; undefined: none does
 * @param now when the report came, in wall milliseconds
 */
export function decideReportedState(
  view: ProductView,
  report: ProductReport,
  { recentRssi, now }: { recentRssi: number | null | undefined; now: number },
): ReportedState {
  const { product } = view;
  if (report.status === 'offline') {
    // Another gateway still hears the product, so this report is old.
    if (recentRssi !== undefined) return UNCHANGED;
    return {
      ...UNCHANGED,
      product: changed(columnsOf(product), { ...columnsOf(product), status: 'offline', rssi: null }),
    };
  }
  const rssi = recentRssi ?? report.rssi;
  if (isOlder(view, report, now))
    return { ...UNCHANGED, product: changed(columnsOf(product), { ...columnsOf(product), status: 'online', rssi }) };
  return {
    product: changed(columnsOf(product), {
      status: 'online',
      rssi,
      battery_status: report.battery_status ?? product.battery_status,
      advertisement_data: report.advertisement_data ?? product.advertisement_data,
    }),
    block: changed(view.block === null ? null : blockColumnsOf(view.block), reportedBlock(view, report)),
    error: reportedError(view, report.errors),
  };
}

/** By how much the time between two reports of a gateway may vary. */
const REPORT_JITTER_MS = 1_000;

/**
 * Whether the gateway heard the product last before its state changed. Such reports are usual: a gateway reports all of its products when
 * one changes, also those whose change only another gateway has heard.
 */
function isOlder({ block }: ProductView, { seen_ago_ms }: ProductReport, now: number): boolean {
  return block !== null && seen_ago_ms !== null && now - seen_ago_ms + REPORT_JITTER_MS < block.updated_at;
}

/**
 * Decides what changes by what a product said of itself in answer to a command.
 * @param autocloseSetting what the command set auto-close to; undefined: it was no such command
 */
export function decideAnsweredState(
  view: ProductView,
  status: ProductStatus,
  autocloseSetting?: boolean,
): ReportedState {
  const { product } = view;
  const block = reportedBlock(view, status);
  if (autocloseSetting !== undefined) block.autoclose_setting = Number(autocloseSetting);
  return {
    product: changed(columnsOf(product), {
      ...columnsOf(product),
      battery_status: status.battery_status ?? product.battery_status,
    }),
    block: changed(view.block === null ? null : blockColumnsOf(view.block), block),
    error: reportedError(view, status.errors),
  };
}

const POSITIONS: ReadonlySet<string> = new Set(['opened', 'closed']);

/** Whether the product stands in another position than a gateway knew before. The state of one that was never heard is a supposition. */
export const isMovement = ({ product, block: before }: ProductView, { block }: Pick<ReportedState, 'block'>): boolean =>
  product.seen_at !== null &&
  before !== null &&
  block !== null &&
  before.state !== 'unknown' &&
  before.state !== block.state &&
  POSITIONS.has(block.state);

const columnsOf = ({ status, rssi, battery_status, advertisement_data }: ProductColumns): ProductColumns => ({
  status,
  rssi,
  battery_status,
  advertisement_data,
});

const blockColumnsOf = (block: BlockColumns): BlockColumns => ({
  state: block.state,
  is_autoclose: block.is_autoclose,
  autoclose_time: block.autoclose_time,
  autoclose_setting: block.autoclose_setting,
  is_car_on_top: block.is_car_on_top,
  permanent_position: block.permanent_position,
});

/** The new columns if one differs from the old ones, else null. */
function changed<Columns extends object>(before: Columns | null, after: Columns): Columns | null {
  const keys = Object.keys(after) as (keyof Columns)[];
  return before !== null && keys.every((key) => before[key] === after[key]) ? null : after;
}

type ReportedBlock = Pick<
  ProductReport,
  'state' | 'permanent_position' | 'is_car_on_top' | 'is_autoclose' | 'autoclose_time'
>;

/** Builds the new block. What the report does not know remains unchanged. */
function reportedBlock({ product, block }: ProductView, report: ReportedBlock): BlockColumns {
  const isBarrier = productTypeOf(product.product_type_id) === 'barrier';
  const isBarrierState = report.state === 'opened' || report.state === 'closed';
  const state = isBarrier && !isBarrierState ? null : report.state;
  const is_autoclose = flag(report.is_autoclose, block?.is_autoclose);
  const permanent_position = report.permanent_position ?? block?.permanent_position ?? 'disabled';
  return {
    state: state ?? block?.state ?? (isBarrier ? 'closed' : 'unknown'),
    is_autoclose,
    autoclose_time: report.autoclose_time ?? block?.autoclose_time ?? 0,
    // In a permanent position the product always reports auto-close as off, so the setting is not known from it.
    autoclose_setting: permanent_position === 'disabled' ? is_autoclose : (block?.autoclose_setting ?? null),
    is_car_on_top: flag(report.is_car_on_top, block?.is_car_on_top),
    permanent_position,
  };
}

const flag = (value: boolean | null, before: number | undefined): number =>
  value === null ? (before ?? 0) : Number(value);

/** The error bits of the STATUS block (product protocol). */
function reportedError({ error }: ProductView, bits: number): ErrorColumns | 'none' | null {
  if (bits === 0) return error === null ? null : 'none';
  const error_code = bits.toString(16).padStart(2, '0');
  if (error?.error_code === error_code) return null;
  const flags = errorBits(bits);
  return {
    error_code,
    jammed: Number(flags.jammed),
    sensor_dirty: Number(flags.sensor_dirty),
    pin_broken: Number(flags.pin_broken),
    rtcc_invalid: Number(flags.rtcc_invalid),
    battery_empty: Number(flags.battery_empty),
    master_key_not_set: Number(flags.master_key_not_set),
  };
}
