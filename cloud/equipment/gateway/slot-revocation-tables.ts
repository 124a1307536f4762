import type { Tables, TablesOf } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof SLOT_REVOCATION_BASELINE> {}
}

export const SLOT_REVOCATION_BASELINE = {
  /** A product has to refuse the credentials that a gateway had, by the generation of its slot. */
  slot_revocations: {
    columns: {
      id: 'id',
      product_id: { partOf: 'products' },
      /** The pairing that the credentials belong to: a new one ends them by itself. */
      pairing_epoch: 'integer',
      /** Whose credentials they are; it may have been deleted since. */
      gateway_id: 'integer',
      slot: 'integer',
      /** The product refuses lower generations. One above the highest possible cannot be told: the product has to be paired anew. */
      generation: 'integer',
      /** Of the admin record that is on its way; null: none is. */
      sent_serial: 'bigint null',
      sent_at: 'bigint null',
      /** When the product confirmed it. */
      told_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['product_id', 'told_at']],
  },
} satisfies Tables;
