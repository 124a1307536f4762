import type { Flag, Tables, TablesOf } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof RECEPTION_BASELINE> {}
}

export const RECEPTION_BASELINE = {
  /** The gateways that hear each product, by their last reports. */
  product_receptions: {
    columns: {
      product_id: { partOf: 'products' },
      gateway_id: { partOf: 'gateways' },
      /** 0: an advertisement under the product's name whose key the gateway does not know, of use only for a pairing. */
      is_proven: 'integer' as Flag,
      /** dBm; null: heard, strength unknown. */
      rssi: 'integer null',
      heard_at: 'bigint',
    },
    primaryKey: ['product_id', 'gateway_id', 'is_proven'],
    indices: [['gateway_id']],
  },
  /** When a boot of a gateway began, in cloud time: wall milliseconds. */
  gateway_boots: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      boot_id: 'text',
      began_at: 'bigint',
      noted_at: 'bigint',
    },
    primaryKey: ['gateway_id', 'boot_id'],
  },
} satisfies Tables;
