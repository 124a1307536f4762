import type { Tables, TablesOf, Text } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof IMAGE_BASELINE> {}
}

export const IMAGE_BASELINE = {
  /** An image that a read announced; its bytes arrive later under the storage key. */
  images: {
    columns: {
      uid: 'key',
      account_id: 'integer',
      lot_id: 'integer',
      owner_uid: 'text',
      role: 'text' as Text<'full' | 'cropped'>,
      created_at: 'bigint',
      /** null: the bytes are not here yet. */
      arrived_at: 'bigint null',
    },
    indices: [['owner_uid'], ['created_at'], ['account_id', 'created_at']],
  },
} satisfies Tables;
