import type { Tables, Timestamps } from '../../kernel/store/entry.js';

/** An image that a read announced; its bytes arrive later under the storage key. */
interface ImagesTable extends Pick<Timestamps, 'created_at'> {
  uid: string;
  account_id: number;
  lot_id: number;
  owner_uid: string;
  role: 'full' | 'cropped';
  /** null: the bytes are not here yet. */
  arrived_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    images: ImagesTable;
  }
}

export const IMAGE_BASELINE: Tables = {
  images: {
    columns: {
      uid: 'key',
      account_id: 'integer',
      lot_id: 'integer',
      owner_uid: 'text',
      role: 'text',
      created_at: 'bigint',
      arrived_at: 'bigint null',
    },
    indices: [['owner_uid'], ['created_at'], ['account_id', 'created_at']],
  },
};
