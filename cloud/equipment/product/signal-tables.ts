import type { JsonColumn, Tables } from '../../kernel/store/entry.js';
import type { SignalCounts } from './signal-counts.js';

/** The signal of one product at one gateway in one hour. */
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

export const SIGNAL_BASELINE: Tables = {
  product_signals: {
    columns: {
      product_id: { partOf: 'products' },
      gateway_id: 'integer',
      hour: 'bigint',
      counts: 'text',
    },
    primaryKey: ['product_id', 'hour', 'gateway_id'],
    indices: [['hour']],
  },
};
