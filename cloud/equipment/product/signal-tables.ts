import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { SignalCounts } from './signal-counts.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof SIGNAL_BASELINE> {}
}

export const SIGNAL_BASELINE = {
  /** The signal of one product at one gateway in one hour. */
  product_signals: {
    columns: {
      product_id: { partOf: 'products' },
      /** It may have been deleted since. */
      gateway_id: 'integer',
      /** When the hour began: wall milliseconds. */
      hour: 'bigint',
      counts: 'text' as Text<JsonColumn<SignalCounts>>,
    },
    primaryKey: ['product_id', 'hour', 'gateway_id'],
    indices: [['hour']],
  },
} satisfies Tables;
