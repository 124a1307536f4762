import type { Tables, Timestamps } from '../../kernel/store/entry.js';

/** A master key that was offered to a product. It is the product's once the product confirms it, or proves it by an advertisement. */
interface PendingPairingsTable extends Pick<Timestamps, 'created_at'> {
  product_id: number;
  /** The product's `pairing_epoch` once this key is its own. */
  epoch: number;
  /** The command that asked for it. */
  event_id: string;
  /** Sealed like the product's. */
  master_key_sealed: string;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    pending_pairings: PendingPairingsTable;
  }
}

export const PAIRING_BASELINE: Tables = {
  pending_pairings: {
    columns: {
      product_id: { partOf: 'products' },
      epoch: 'integer',
      event_id: 'text',
      master_key_sealed: 'text',
      created_at: 'bigint',
    },
    primaryKey: ['product_id', 'epoch'],
  },
};
