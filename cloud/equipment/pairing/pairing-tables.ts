import type { Tables, TablesOf } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof PAIRING_BASELINE> {}
}

export const PAIRING_BASELINE = {
  /** A master key that was offered to a product. It is the product's once the product confirms it, or proves it by an advertisement. */
  pending_pairings: {
    columns: {
      product_id: { partOf: 'products' },
      /** The product's `pairing_epoch` once this key is its own. */
      epoch: 'integer',
      /** The command that asked for it. */
      event_id: 'text',
      /** Sealed like the product's. */
      master_key_sealed: 'text',
      created_at: 'bigint',
    },
    primaryKey: ['product_id', 'epoch'],
  },
} satisfies Tables;
