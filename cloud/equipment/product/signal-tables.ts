import type { JsonColumn } from '../../kernel/entry.js';
import type { SignalCounts } from './signal-counts.js';

/** How well one gateway heard one product in one hour. */
interface ProductSignalsTable {
  product_id: number;
  /** It may have been deleted since. */
  gateway_id: number;
  /** When the hour began: wall milliseconds. */
  hour: number;
  counts: JsonColumn<SignalCounts>;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    product_signals: ProductSignalsTable;
  }
}
