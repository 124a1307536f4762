import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

/** A product has to refuse the credentials that a gateway had, by the generation of its slot. */
interface SlotRevocationsTable extends Timestamps {
  id: Generated<number>;
  product_id: number;
  /** The pairing that the credentials belong to: a new one ends them by itself. */
  pairing_epoch: number;
  /** Whose credentials they are; it may have been deleted since. */
  gateway_id: number;
  slot: number;
  /** The product refuses lower generations. One above the highest possible cannot be told: the product has to be paired anew. */
  generation: number;
  /** Of the admin record that is on its way; null: none is. */
  sent_serial: number | null;
  sent_at: number | null;
  /** When the product confirmed it. */
  told_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    slot_revocations: SlotRevocationsTable;
  }
}

export const SLOT_REVOCATION_BASELINE: Tables = {
  slot_revocations: {
    columns: {
      id: 'id',
      product_id: { partOf: 'products' },
      pairing_epoch: 'integer',
      gateway_id: 'integer',
      slot: 'integer',
      generation: 'integer',
      sent_serial: 'bigint null',
      sent_at: 'bigint null',
      told_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['product_id', 'told_at']],
  },
};
