import type { Tables } from '../../kernel/store/entry.js';

/** The gateways that hear each product, by their last reports. */
interface ProductReceptionsTable {
  product_id: number;
  gateway_id: number;
  /** 0: an advertisement under the product's name whose key the gateway does not know, of use only for a pairing. */
  is_proven: 0 | 1;
  /** dBm; null: heard, strength unknown. */
  rssi: number | null;
  heard_at: number;
}

/** When a boot of a gateway began, in cloud time: wall milliseconds. */
interface GatewayBootsTable {
  gateway_id: number;
  boot_id: string;
  began_at: number;
  noted_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    product_receptions: ProductReceptionsTable;
    gateway_boots: GatewayBootsTable;
  }
}

export const RECEPTION_BASELINE: Tables = {
  product_receptions: {
    columns: {
      product_id: { partOf: 'products' },
      gateway_id: { partOf: 'gateways' },
      is_proven: 'integer',
      rssi: 'integer null',
      heard_at: 'bigint',
    },
    primaryKey: ['product_id', 'gateway_id', 'is_proven'],
    indices: [['gateway_id']],
  },
  gateway_boots: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      boot_id: 'text',
      began_at: 'bigint',
      noted_at: 'bigint',
    },
    primaryKey: ['gateway_id', 'boot_id'],
  },
};
